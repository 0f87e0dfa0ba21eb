package main

import (
	"context"
	"fmt"
)

// The shape: a target of 1.5 times the batch's rows. Of the batch a third
// meets a published key and half is new.
//
// messy: 0.6 % broken rows, 5 % of keys twice, every fiftieth of these with
// one change time and other content, a quarter of the meeting rows older than
// the published one, some at its own change time with other content.
// daily: 0.5 % broken rows, no key twice, every change time newer.

const target = `
INSERT OVERWRITE bench_silver.orders (order_id, customer_id, order_ts, order_total, currency, source_updated_at, _source_file, _loaded_at)
SELECT
  concat('ORD-', lpad(CAST(id AS STRING), 9, '0')),
  concat('C', CAST(id %% 100000 AS STRING)),
  timestamp_seconds(1760000000 + id %% 2592000),
  CAST(id %% 100000 AS DECIMAL(18,2)) / 100,
  element_at(array('AUD', 'NZD', 'USD'), CAST(id %% 3 AS INT) + 1),
  timestamp_seconds(1765000000 + id %% 86400),
  'seed.csv',
  timestamp_seconds(1765100000)
FROM range(%d)`

// batch writes string rows; n is the number in the key. CREATE OR REPLACE … AS
// fails on Spark 3.5, so the table is overwritten.
const batch = `
INSERT OVERWRITE bench_bronze.%[1]s_rows
WITH numbered AS (
  SELECT
    id,
    %[2]s AS n
  FROM range(%[3]d)
)
SELECT
  CASE WHEN id %% 1000 = 7 THEN '' ELSE concat('ord-', lpad(CAST(n AS STRING), 9, '0')) END AS order_id,
  concat('C', CAST(n %% 100000 AS STRING)) AS customer_id,
  CASE WHEN id %% 1000 = 8 THEN '20/03/2026' ELSE CAST(timestamp_seconds(1760000000 + n %% 2592000) AS STRING) END AS order_ts,
  CASE WHEN id %% 1000 = 9 THEN '1,200.00' WHEN id %% 1000 = 10 THEN '-5.00' ELSE CAST(CAST(CAST(id %% 90000 AS DECIMAL(18,2)) / 100 AS DECIMAL(18,2)) AS STRING) END AS order_total,
  CASE WHEN id %% 1000 = 11 THEN 'XYZ' ELSE lower(element_at(array('AUD', 'NZD', 'USD'), CAST(n %% 3 AS INT) + 1)) END AS currency,
  CAST(%[4]s AS STRING) AS source_updated_at,
  'orders.csv' AS _source_file,
  '2026-03-20 04:00:00' AS _loaded_at
FROM numbered`

func (b *bench) build(ctx context.Context, profile string) error {
	size := b.rows * 3 / 2
	// Two fifths of the batch carry published keys, the rest new ones.
	key := fmt.Sprintf("CASE WHEN id %% 5 < 2 THEN (id * 7) %% %d ELSE %d + id END", size, size)
	change := "timestamp_seconds(1770000000 + n % 86400)"
	if profile == "messy" {
		// every twentieth row repeats the key of its neighbour
		key = fmt.Sprintf("CASE WHEN id %% 5 < 2 THEN ((id - CASE WHEN id %% 20 = 1 THEN 1 ELSE 0 END) * 7) %% %[1]d ELSE %[1]d + id - CASE WHEN id %% 20 = 3 THEN 1 ELSE 0 END END", size)
		change = "timestamp_seconds(CASE WHEN id % 8 = 0 THEN 1764000000 + n % 86400 WHEN id % 400 = 6 THEN 1765000000 + n % 86400 WHEN id % 1000 IN (1, 3) THEN 1770000000 + n % 86400 ELSE 1770000000 + n % 86400 + id % 20 END)"
	}
	statements := []string{
		fmt.Sprintf("CREATE TABLE IF NOT EXISTS bench_bronze.%s_rows (order_id STRING, customer_id STRING, order_ts STRING, order_total STRING, currency STRING, source_updated_at STRING, _source_file STRING, _loaded_at STRING) USING DELTA", profile),
		fmt.Sprintf(batch, profile, key, b.rows, change),
	}
	for _, s := range statements {
		if err := b.session.Exec(ctx, s); err != nil {
			return fmt.Errorf("building the %s batch: %w", profile, err)
		}
	}
	return nil
}

// floor is the job without any promise: cast, newest by row_number, MERGE.
const floor = `
MERGE INTO bench_silver.orders AS t
USING (
  SELECT * FROM (
    SELECT
      upper(trim(order_id)) AS order_id,
      trim(customer_id) AS customer_id,
      try_cast(order_ts AS TIMESTAMP) AS order_ts,
      try_cast(order_total AS DECIMAL(18,2)) AS order_total,
      upper(trim(currency)) AS currency,
      try_cast(source_updated_at AS TIMESTAMP) AS source_updated_at,
      _source_file,
      try_cast(_loaded_at AS TIMESTAMP) AS _loaded_at,
      row_number() OVER (PARTITION BY upper(trim(order_id)) ORDER BY source_updated_at DESC) AS n
    FROM bench_bronze.orders
    WHERE _batch_id = '%s'
  )
  WHERE n = 1 AND order_id <> '' AND order_ts IS NOT NULL AND order_total >= 0 AND currency IN ('AUD', 'NZD', 'USD')
) AS s
ON t.order_id = s.order_id
WHEN MATCHED AND s.source_updated_at > t.source_updated_at THEN UPDATE SET
  customer_id = s.customer_id, order_ts = s.order_ts, order_total = s.order_total, currency = s.currency,
  source_updated_at = s.source_updated_at, _source_file = s._source_file, _loaded_at = s._loaded_at
WHEN NOT MATCHED THEN INSERT (order_id, customer_id, order_ts, order_total, currency, source_updated_at, _source_file, _loaded_at)
VALUES (s.order_id, s.customer_id, s.order_ts, s.order_total, s.currency, s.source_updated_at, s._source_file, s._loaded_at)`
