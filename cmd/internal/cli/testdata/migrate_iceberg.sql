-- retail-pos-line-gold 1.3.0: what brings table lake.gold.fct_pos_line, of contract 1.2.0, to this contract
-- By sluice migrate ../../../contracts/retail/pos_line.odcs.yaml; nothing was changed. With --apply it runs step by step, and may be
-- stopped and run again. A step that waits is written as a comment.

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
-- [1/12] note_added: since when the new columns are there: a row loaded before lacks them through no fault of its own

-- Set before the columns are there: whatever was loaded until then cannot have had a value for them.
ALTER TABLE `lake`.`gold`.`fct_pos_line` SET TBLPROPERTIES (
  'contract.added.store_id' = '1.3.0 <now>'
);

-- -----------------------------------------------------------------------------
-- [2/12] add_columns: the contract declares store_id; rows that are there have no value yet
-- Warning: required by row rules alone: basket_id, store_id, quantity. Iceberg makes no existing column NOT NULL and has no CHECK: runs set rows without a value aside, another writer is not stopped.

-- Metadata alone: rows that are there have NULL in it.
ALTER TABLE `lake`.`gold`.`fct_pos_line` ADD COLUMNS (
  `store_id` STRING
);

-- -----------------------------------------------------------------------------
-- [3/12] set_version: writers and readers go by the version; it is set before the writer of 1.3.0 ships

ALTER TABLE `lake`.`gold`.`fct_pos_line` SET TBLPROPERTIES ('contract.version' = '1.3.0');

-- -----------------------------------------------------------------------------
-- [4/12] add_quantity_migrated: quantity is STRING, the contract says INT: a new column beside it
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- First, values that the new type cannot hold: 0
SELECT count(*) AS `rows`
FROM `lake`.`gold`.`fct_pos_line`.`branch_main`
WHERE `quantity` IS NOT NULL AND try_cast(`quantity` AS INT) IS NULL;

-- Metadata alone: rows that are there have NULL in it.
ALTER TABLE `lake`.`gold`.`fct_pos_line` ADD COLUMNS (
  `quantity_migrated` INT
);

-- -----------------------------------------------------------------------------
-- [5/12] drop_quantity: its values are in quantity_migrated
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- First, values that were not carried over: counted when its turn comes

-- Metadata alone: its values stay in older snapshots until they expire, and in data files until those are rewritten.
ALTER TABLE `lake`.`gold`.`fct_pos_line` DROP COLUMN `quantity`;

-- -----------------------------------------------------------------------------
-- [6/12] rename_quantity: quantity: the new column takes the name

ALTER TABLE `lake`.`gold`.`fct_pos_line` RENAME COLUMN `quantity_migrated` TO `quantity`;

-- -----------------------------------------------------------------------------
-- [7/12] promote_amount: amount is DECIMAL(12,2), the contract says DECIMAL(18,2); it holds every value of the old type, so no file is written

ALTER TABLE `lake`.`gold`.`fct_pos_line` ALTER COLUMN `amount` TYPE DECIMAL(18,2);

-- -----------------------------------------------------------------------------
-- [8/12] drop_till: till: the contract does not declare it
-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.
-- First, rows that have a value there: 0
SELECT count(*) AS `rows`
FROM `lake`.`gold`.`fct_pos_line`.`branch_main`
WHERE `till` IS NOT NULL;

-- Metadata alone: its values stay in older snapshots until they expire, and in data files until those are rewritten.
ALTER TABLE `lake`.`gold`.`fct_pos_line` DROP COLUMN `till`;

-- -----------------------------------------------------------------------------
-- [9/12] fill_basket_id: the contract requires basket_id, and only new rows are held to it
-- First, rows without a value: 3
SELECT count(*) AS `rows`
FROM `lake`.`gold`.`fct_pos_line`.`branch_main`
WHERE `basket_id` IS NULL;

-- Waits: rows without a value: 3.
--   UPDATE `lake`.`gold`.`fct_pos_line`.`branch_main` SET `basket_id` = <value> WHERE `basket_id` IS NULL

-- -----------------------------------------------------------------------------
-- [10/12] set_aside_quantity: quantity of lake.staging.fct_pos_line is STRING, this version stages INT; the next run adds it

ALTER TABLE `lake`.`staging`.`fct_pos_line` RENAME COLUMN `quantity` TO `quantity_before_1_3_0`;

-- -----------------------------------------------------------------------------
-- [11/12] promote_staged_amount: amount is DECIMAL(12,2), the contract says DECIMAL(18,2); it holds every value of the old type, so no file is written

ALTER TABLE `lake`.`staging`.`fct_pos_line` ALTER COLUMN `amount` TYPE DECIMAL(18,2);

-- -----------------------------------------------------------------------------
-- [12/12] forget_till: till is no column any more

ALTER TABLE `lake`.`gold`.`fct_pos_line` UNSET TBLPROPERTIES IF EXISTS ('contract.added.till');
