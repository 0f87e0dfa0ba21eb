"""Runs statements and then commands of sluice: spark-submit prepare.py BUNDLE STATEMENTS COMMANDS, JSON lists both."""
import json
import sys

sys.path.insert(0, sys.argv[1])
import sluice_job  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

spark = SparkSession.builder.getOrCreate()
for statement in json.loads(sys.argv[2]):
    spark.sql(statement)
for command in json.loads(sys.argv[3]):
    sluice_job.run(command)
spark.stop()
