-- sales-orders-silver 2.2.0: what brings table silver.orders, of contract 2.1.0, to this contract
-- By sluice migrate ../../../contracts/sales/orders.odcs.yaml; nothing was changed. With --apply it runs step by step, and may be
-- stopped and run again. A step that waits is written as a comment.
-- Protocol: reader 1, writer 3

SET spark.sql.session.timeZone=UTC;
SET spark.sql.ansi.enabled=true;
SET spark.sql.legacy.timeParserPolicy=CORRECTED;
SET spark.sql.caseSensitive=false;
SET spark.sql.storeAssignmentPolicy=ANSI;
SET spark.sql.variable.substitute=false;
SET spark.sql.parser.escapedStringLiterals=false;
SET spark.sql.parquet.datetimeRebaseModeInWrite=CORRECTED;
SET spark.sql.parquet.datetimeRebaseModeInRead=CORRECTED;
SET spark.sql.parquet.int96RebaseModeInWrite=CORRECTED;
SET spark.sql.parquet.int96RebaseModeInRead=CORRECTED;
SET spark.databricks.delta.schema.autoMerge.enabled=false;

-- -----------------------------------------------------------------------------
-- [1/20] drop_check_channel_known: the contract has no CHECK channel_known (channel IN ('web', 'shop'))

ALTER TABLE `silver`.`orders` DROP CONSTRAINT `channel_known`;

-- -----------------------------------------------------------------------------
-- [2/20] note_added: since when the new columns are there: a row loaded before lacks them through no fault of its own

-- Set before the columns are there: whatever was loaded until then cannot have had a value for them.
ALTER TABLE `silver`.`orders` SET TBLPROPERTIES (
  'contract.added.order_date' = '2.2.0 <now>',
  'contract.added._loaded_at' = '2.2.0 <now>'
);

-- -----------------------------------------------------------------------------
-- [3/20] add_columns: the contract declares order_date, _loaded_at; rows that are there have no value yet

ALTER TABLE `silver`.`orders` ADD COLUMNS (
  `order_date` DATE COMMENT 'Calendar day of order_ts; kept while readers move over.',
  `_loaded_at` TIMESTAMP
);

-- -----------------------------------------------------------------------------
-- [4/20] set_version: writers and readers go by the version; it is set before the writer of 2.2.0 ships

ALTER TABLE `silver`.`orders` SET TBLPROPERTIES ('contract.version' = '2.2.0');

-- -----------------------------------------------------------------------------
-- [5/20] add_order_total_migrated: order_total is DOUBLE, the contract says DECIMAL(18,2): a new column beside it
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- First, values that the new type cannot hold: 0
SELECT count(*) AS `rows`
FROM `silver`.`orders`
WHERE NOT (try_cast(try_cast(`order_total` AS DECIMAL(18,2)) AS DOUBLE) <=> `order_total`);

ALTER TABLE `silver`.`orders` ADD COLUMNS (
  `order_total_migrated` DECIMAL(18,2)
);

-- -----------------------------------------------------------------------------
-- [6/20] carry_over_order_total: the values of order_total, as far as the new type can hold them
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- First, rows to carry over: 12
SELECT count(*) AS `rows`
FROM `silver`.`orders`
WHERE `order_total` IS NOT NULL;

-- What the new type cannot hold becomes NULL; the count before it says how much that is.
UPDATE `silver`.`orders`
SET `order_total_migrated` = try_cast(`order_total` AS DECIMAL(18,2))
WHERE NOT (`order_total_migrated` <=> try_cast(`order_total` AS DECIMAL(18,2)));

-- -----------------------------------------------------------------------------
-- [7/20] column_mapping: Delta drops and renames columns only under column mapping
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- Warning: raises the protocol to reader 2 and writer 5 at least, for good: clients that do not know column mapping can no longer read the table.

-- With both versions named, a table without other features stays on the protocol that every client of these versions knows:
-- without them Delta 3.3 and 4.3 go on to writer 7 (measured).
ALTER TABLE `silver`.`orders` SET TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name',
  'delta.minReaderVersion' = '2',
  'delta.minWriterVersion' = '5'
);

-- The other way, for all dropped and retyped columns at once (--rewrite):
--   -- One commit: readers see the table before it or after it. Its constraints are added again below.
--   CREATE OR REPLACE TABLE `silver`.`orders`
--   USING DELTA
--   TBLPROPERTIES (
--     'contract.added.order_date' = '2.2.0 <now>',
--     'contract.added._loaded_at' = '2.2.0 <now>',
--     'contract.version' = '2.2.0',
--     'delta.isolationLevel' = 'Serializable'
--   )
--   AS SELECT
--     `order_id`,
--     `customer_id`,
--     `order_ts`,
--     `order_date`,
--     try_cast(`order_total` AS DECIMAL(18,2)) AS `order_total`,
--     `currency`,
--     `source_updated_at`,
--     `_source_file`,
--     `_loaded_at`
--   FROM `silver`.`orders`;

-- -----------------------------------------------------------------------------
-- [8/20] release_order_total_minimum: it reads order_total, and is added again below
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.

ALTER TABLE `silver`.`orders` DROP CONSTRAINT `order_total_minimum`;

-- -----------------------------------------------------------------------------
-- [9/20] drop_order_total: its values are in order_total_migrated
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- First, values that were not carried over: counted when its turn comes

-- Its values stay in older files and versions until OPTIMIZE or REORG and VACUUM have gone over them.
ALTER TABLE `silver`.`orders` DROP COLUMN `order_total`;

-- -----------------------------------------------------------------------------
-- [10/20] rename_order_total: order_total: the new column takes the name

ALTER TABLE `silver`.`orders` RENAME COLUMN `order_total_migrated` TO `order_total`;

-- -----------------------------------------------------------------------------
-- [11/20] drop_channel: channel: the contract does not declare it
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- First, rows that have a value there: 12
SELECT count(*) AS `rows`
FROM `silver`.`orders`
WHERE `channel` IS NOT NULL;

-- Its values stay in older files and versions until OPTIMIZE or REORG and VACUUM have gone over them.
ALTER TABLE `silver`.`orders` DROP COLUMN `channel`;

-- -----------------------------------------------------------------------------
-- [12/20] fill_customer_id: every row needs a value of customer_id before it can be required
-- First, rows without a value: 12
SELECT count(*) AS `rows`
FROM `silver`.`orders`
WHERE `customer_id` IS NULL;

-- Waits: rows without a value: 12.
--   UPDATE `silver`.`orders` SET `customer_id` = <value> WHERE `customer_id` IS NULL

-- -----------------------------------------------------------------------------
-- [13/20] require_customer_id: customer_id is required; Delta makes no existing column NOT NULL, so a CHECK holds it

-- Waits: fill_customer_id has to be done first.
--   -- Delta scans the table, and counts NULL as a violation.
--   ALTER TABLE `silver`.`orders` ADD CONSTRAINT `customer_id_required` CHECK (`customer_id` IS NOT NULL);

-- -----------------------------------------------------------------------------
-- [14/20] require_order_total: order_total is required; Delta makes no existing column NOT NULL, so a CHECK holds it

-- Delta scans the table, and counts NULL as a violation.
ALTER TABLE `silver`.`orders` ADD CONSTRAINT `order_total_required` CHECK (`order_total` IS NOT NULL);

-- -----------------------------------------------------------------------------
-- [15/20] require_loaded_at: _loaded_at is required; Delta makes no existing column NOT NULL, so a CHECK holds it

-- Delta scans the table, and counts NULL as a violation.
ALTER TABLE `silver`.`orders` ADD CONSTRAINT `loaded_at_required` CHECK (`_loaded_at` IS NOT NULL);

-- -----------------------------------------------------------------------------
-- [16/20] add_check_order_ts_minimum: the contract declares CHECK order_ts_minimum
-- First, rows that break it: 0
SELECT count(*) AS `rows`
FROM `silver`.`orders`
WHERE NOT coalesce(`order_ts` >= TIMESTAMP '2015-01-01 00:00:00Z', false);

-- Delta scans the table, and counts NULL as a violation.
ALTER TABLE `silver`.`orders` ADD CONSTRAINT `order_ts_minimum` CHECK (`order_ts` >= TIMESTAMP '2015-01-01 00:00:00Z');

-- -----------------------------------------------------------------------------
-- [17/20] add_check_order_total_minimum: the contract declares CHECK order_total_minimum
-- First, rows that break it: counted when its turn comes

-- Delta scans the table, and counts NULL as a violation.
ALTER TABLE `silver`.`orders` ADD CONSTRAINT `order_total_minimum` CHECK (`order_total` >= 0);

-- -----------------------------------------------------------------------------
-- [18/20] comment_order_ts: the contract describes order_ts in other words

ALTER TABLE `silver`.`orders` ALTER COLUMN `order_ts` COMMENT 'Moment the order was placed, in UTC.';

-- -----------------------------------------------------------------------------
-- [19/20] set_aside_staging: order_total of staging.orders have other types in this version

-- The next run makes a new one. Drop the old one when nobody asks for its rows any more.
ALTER TABLE `staging`.`orders` RENAME TO `staging`.`orders_before_2_2_0`;

-- -----------------------------------------------------------------------------
-- [20/20] forget_channel: channel is no column any more

ALTER TABLE `silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('contract.added.channel');
