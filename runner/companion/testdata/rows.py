"""Prints the result of queries, a JSON list of texts each: spark-submit rows.py QUERIES OUT."""
import json
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
with open(sys.argv[1], encoding="utf-8") as queries, open(sys.argv[2], "w", encoding="utf-8") as out:
    json.dump([[row[0] for row in spark.sql(query).collect()] for query in json.load(queries)], out)
spark.stop()
