package odcs

// shapes is the standard as one table. It follows the text of ODCS 3.0.2, 3.1.0
// and 3.2.0 (bitol-io/open-data-contract-standard).
//
//	object NAME [by KEY]     the keys of a mapping; with `by`, the sections NAME/<value of KEY> add theirs
//	  key[!] type [since]    ! = required; 3.1+ new in that release, -3.0 gone after it; both together are a span
//	custom PLACE             sluice's own customProperties on the object of that name
//
// Types: text, id, bool, int, number, scalar, any, map, (a|b) a closed set,
// [type] a list, {NAME} an object, `type or type`.
const shapes = `
object contract
  apiVersion!              text
  kind!                    (DataContract)
  id!                      text
  version!                 text
  status!                  text                    -3.1
  status                   text                    3.2+
  name                     text
  tenant                   text
  domain                   text
  dataProduct              text
  tags                     [text]
  description              {description}
  context                  text or {context}       3.2+
  servers                  [{server}]
  schema                   [{schema}]
  support                  [{support}]
  price                    {price}
  team                     {team} or [{member}]    3.1+
  team                     [{member}]              -3.0
  roles                    [{role}]
  slaDefaultElement        text
  slaProperties            [{sla}]
  authoritativeDefinitions [{definition}]
  customProperties         [{customProperty}]
  contractCreatedTs        text

object description
  usage                    text
  purpose                  text
  limitations              text
  authoritativeDefinitions [{definition}]
  customProperties         [{customProperty}]

object context
  instructions             text
  verifiedStatements       [{statement}]
  constraints              [{constraint}]

object statement
  id                       text
  question!                text
  answer                   text
  authoritativeDefinitions [{definition}]
  tags                     [text]
  customProperties         [{customProperty}]

object constraint
  id                       text
  constraint!              text
  authoritativeDefinitions [{definition}]
  tags                     [text]
  customProperties         [{customProperty}]

object schema
  name!                    text
  id                       id                      3.1+
  physicalName             text
  physicalType             text
  logicalType              (object|blob)           3.1+
  logicalType              (object)                -3.0
  description              text
  businessName             text
  dataGranularityDescription text
  deprecated               bool                    3.2+
  synonyms                 [{synonym}]             3.2+
  context                  text or {context}       3.2+
  tags                     [text]
  authoritativeDefinitions [{definition}]
  customProperties         [{customProperty}]
  properties               [{property}]
  relationships            [{relationship}]        3.1+
  quality                  [{quality}]

object property
  name!                    text
  id                       id                      3.1+
  physicalName             text
  physicalType             text
  logicalType              (string|date|timestamp|time|number|integer|object|array|boolean|map|vector) 3.2+
  logicalType              (string|date|timestamp|time|number|integer|object|array|boolean) 3.1+ -3.1
  logicalType              (string|date|number|integer|object|array|boolean) -3.0
  logicalTypeOptions       map
  description              text
  businessName             text
  required                 bool
  unique                   bool
  primaryKey               bool
  primaryKeyPosition       int
  partitioned              bool
  partitionKeyPosition     int
  classification           text
  encryptedName            text
  criticalDataElement      bool
  examples                 [any]
  transformSourceObjects   [text]
  transformLogic           text
  transformDescription     text
  enum                     [{enumValue}]           3.2+
  semanticType             (column|measure|dimension) 3.2+
  deprecated               bool                    3.2+
  synonyms                 [{synonym}]             3.2+
  relationships            [{relationship}]        3.1+
  quality                  [{quality}]
  tags                     [text]
  authoritativeDefinitions [{definition}]
  customProperties         [{customProperty}]
  properties               [{property}]
  items                    {item}
  map                      {mapTypes}              3.2+

object mapTypes
  key!                     {item}
  value!                   {item}

object enumValue
  value!                   scalar
  label                    text
  id                       id
  description              text
  tags                     [text]
  customProperties         [{customProperty}]
  authoritativeDefinitions [{definition}]

object synonym
  synonym!                 text
  id                       id
  description              text
  locale                   text
  source                   text
  status                   text
  customProperties         [{customProperty}]

object relationship
  id                       text                    3.2+
  type                     (foreignKey)
  to!                      text or [text]
  from                     text or [text]
  customProperties         [{customProperty}]

object quality by type
  id                       id                      3.1+
  name                     text
  description              text
  type                     (library|sql|text|custom)
  dimension                (accuracy|completeness|conformity|consistency|coverage|timeliness|uniqueness)
  severity                 text
  unit                     text
  schedule                 text
  scheduler                text
  method                   text
  businessImpact           text
  tags                     [text]
  authoritativeDefinitions [{definition}]
  customProperties         [{customProperty}]

object quality/library
  metric!                  (nullValues|missingValues|invalidValues|duplicateValues|rowCount) 3.1+
  rule                     text                    3.1+
  rule!                    text                    -3.0
  arguments                {arguments}             3.1+
  validValues              [any]                   -3.0
  mustBe                   scalar
  mustNotBe                scalar
  mustBeGreaterThan        number
  mustBeGreaterOrEqualTo   number
  mustBeLessThan           number
  mustBeLessOrEqualTo      number
  mustBeBetween            [number]
  mustNotBeBetween         [number]

object arguments
  properties               [text]
  validValues              [scalar]
  missingValues            [any]
  pattern                  text

object quality/sql
  query!                   text
  mustBe                   scalar
  mustNotBe                scalar
  mustBeGreaterThan        number
  mustBeGreaterOrEqualTo   number
  mustBeLessThan           number
  mustBeLessOrEqualTo      number
  mustBeBetween            [number]
  mustNotBeBetween         [number]

object quality/text

object quality/custom
  engine!                  text
  implementation!          text or map

object support
  channel!                 text
  url!                     text                    -3.0
  url                      text                    3.1+
  id                       id                      3.1+
  tool                     text
  scope                    text
  description              text
  invitationUrl            text
  customProperties         [{customProperty}]      3.1+

object price
  id                       id                      3.1+
  priceAmount              number
  priceCurrency            text
  priceUnit                text

object team
  id                       id
  name                     text
  description              text
  members                  [{member}]
  tags                     [text]
  authoritativeDefinitions [{definition}]
  customProperties         [{customProperty}]

object member
  username!                text                    3.1+
  username                 text                    -3.0
  id                       id                      3.1+
  name                     text
  description              text
  role                     text
  dateIn                   text
  dateOut                  text
  replacedByUsername       text
  comment                  text                    -3.0
  tags                     [text]                  3.1+
  authoritativeDefinitions [{definition}]          3.1+
  customProperties         [{customProperty}]      3.1+

object role
  role!                    text
  id                       id                      3.1+
  description              text
  access                   text
  firstLevelApprovers      text
  secondLevelApprovers     text
  customProperties         [{customProperty}]

object sla
  property!                text
  value!                   scalar
  id                       id                      3.1+
  valueExt                 scalar
  unit                     text
  element                  text
  driver                   text
  description              text                    3.1+
  scheduler                text                    3.1+
  schedule                 text                    3.1+
  authoritativeDefinitions [{definition}]          3.2+
  customProperties         [{customProperty}]      3.2+

object definition
  url!                     text
  type!                    text
  id                       id                      3.1+
  description              text                    3.1+

object customProperty
  property!                text                    3.1+
  property                 text                    -3.0
  value!                   any                     3.1+
  value                    any                     -3.0
  id                       id                      3.1+
  description              text                    3.1+
  vendor                   text                    3.2+

object options/string
  minLength                int
  maxLength                int
  pattern                  text
  format                   text

object options/date
  format                   text
  minimum                  text
  maximum                  text
  exclusiveMinimum         text                    3.1+
  exclusiveMaximum         text                    3.1+
  exclusiveMinimum         bool                    -3.0
  exclusiveMaximum         bool                    -3.0

object options/timestamp
  format                   text
  minimum                  text
  maximum                  text
  exclusiveMinimum         text
  exclusiveMaximum         text
  timezone                 bool
  defaultTimezone          text

object options/time
  format                   text
  minimum                  text
  maximum                  text
  exclusiveMinimum         text
  exclusiveMaximum         text
  timezone                 bool
  defaultTimezone          text

object options/integer
  format                   (i8|i16|i32|i64|i128|u8|u16|u32|u64|u128)
  minimum                  number
  maximum                  number
  exclusiveMinimum         number                  3.1+
  exclusiveMaximum         number                  3.1+
  exclusiveMinimum         bool                    -3.0
  exclusiveMaximum         bool                    -3.0
  multipleOf               number

object options/number
  format                   (f32|f64)
  minimum                  number
  maximum                  number
  exclusiveMinimum         number                  3.1+
  exclusiveMaximum         number                  3.1+
  exclusiveMinimum         bool                    -3.0
  exclusiveMaximum         bool                    -3.0
  multipleOf               number

object options/boolean

object options/map

object options/object
  minProperties            int
  maxProperties            int
  required                 [text]

object options/array
  minItems                 int
  maxItems                 int
  uniqueItems              bool

object options/vector
  dimensions!              int
  elementType              (bfloat16|binary|float16|float32|float64|int8|uint8)
  distanceMetric           (cosine|dotProduct|euclidean|hamming|manhattan)
  embeddingModel           text
  embeddingModelVersion    text
  normalized               bool

object options/
  minLength                int
  maxLength                int
  pattern                  text
  format                   text
  minimum                  scalar
  maximum                  scalar
  exclusiveMinimum         scalar
  exclusiveMaximum         scalar
  timezone                 bool
  defaultTimezone          text
  multipleOf               number
`

// sluiceShapes are the values of our own customProperties, at the place where
// each may stand (odcs.md section 2: one property a concept).
const sluiceShapes = `
custom contract
  consumers                [{consumer}]

custom schema
  source                   {source}
  dedup                    {dedup}
  publish                  {publish}
  quarantine               {quarantine}
  staging                  {staging}
  keepFor                  {keepFor}
  nullValues               [text]

custom property
  reasonCodes              {reasonCodes}
  acceptFormats            [text]
  sourceColumns            [text]
  cast                     (strict|lenient)
  nullValues               [text]
  emptyIs                  (missing|value)
  constraint               (table|batch)
  replaces                 text
  deprecated               bool

custom quality
  owner                    text
  scope                    (candidate|target)
  constraint               (table|batch)

custom sla
  afterEndOfLife           (warn|fail)

custom relationship
  onViolation              (failBatch|quarantine|warn)

object consumer
  name!                    text
  contact                  text
  major                    int
  columns                  [text]

object source
  table                    text
  path                     text
  format                   (parquet|csv|json)
  typed                    bool
  metadata                 {metadata}

object metadata
  file                     text
  line                     text
  malformed                text
  loadedAt                 text
  batch                    text

object dedup
  latestBy!                [text]
  tieBreak                 [text]
  compare                  [text]
  onConflictingTie         (quarantine|fail)
  onBrokenNewest           (publishOlder|holdBack)

object publish
  mode!                    (merge|replacePartition|wap)
  branch                   text
  write                    (merge|replacePartition)

object quarantine
  table                    text
  headerRow                (reject|ignore)

object staging
  table                    text
  auditLog                 text

object keepFor
  quarantine               text
  staging                  text
  branch                   text
  auditLog                 text

object reasonCodes
  missing                  text
  unparseable              text
  enum                     text
  minimum                  text
  exclusiveMinimum         text
  maximum                  text
  exclusiveMaximum         text
  minLength                text
  maxLength                text
  pattern                  text
  multipleOf               text
  format                   text
  dimensions               text
  minItems                 text
  maxItems                 text
  uniqueItems              text
  minProperties            text
  maxProperties            text

object implementation by check
  check!                   (rejectRatio|volumeRatio|rowExpression|partitionsUnchanged)

object implementation/rowExpression
  expression!              text
  code                     text

object implementation/rejectRatio
  maxPercent!              number
  by                       [text]

object implementation/volumeRatio
  against                  (medianPublished)
  window                   int
  min!                     number
  max!                     number
  by                       [text]
  atLeast                  int
`

// serverKeys are the keys that each server type adds: text, unless serverShapes
// has the key or TYPE.key.
const serverKeys = `
api location!
athena stagingDir schema! catalog regionName workgroup
azure location! format! encoding delimiter
bigquery project! dataset!
btrieve host! port database!
clickhouse host! port! database!
databricks host catalog! schema!
denodo host! port! database
dremio host! port! schema
duckdb database! schema
exasol host! port schema
fastobjects database! host port
glue account! database! location format encoding
cloudsql host! port! database! schema!
db2 host! port! database! schema
hive host! port database!
impala host! port database!
informix host! port database!
ingres host! port database!
zen host! port database!
custom account catalog database dataset delimiter endpointUrl format encoding host location path port project region regionName schema serviceName stagingDir warehouse stream
kafka host! format encoding
kinesis region format encoding
local path! format! encoding
mysql host! port! database!
oracle host! port! serviceName!
poet database! host port
hana host! port database schema
iceberg catalog! catalogUrl! namespace warehouse
postgresql host! port! database! schema!
postgres host! port! database! schema!
presto host! catalog schema
pubsub project!
redshift host database! schema! region account
s3 location! endpointUrl format encoding delimiter
sftp location! format encoding delimiter
snowflake host port account! database! schema! warehouse
sqlserver host! port database! schema!
synapse host! port! database!
teradata host! port database
trino host! port! catalog! schema!
vectorwise host! port database!
versant database! host port
vertica host! port! database! schema!
`

const serverShapes = `
port                       int or text             3.2+
port                       int                     -3.1
encoding                   text                    3.2+
stream                     text                    3.1+
workgroup                  text                    3.2+
athena.stagingDir          text                    3.2+
athena.stagingDir!         text                    -3.1
azure.format!              text                    3.1+
azure.format!              (parquet|delta|json|csv) -3.0
azure.delimiter            text                    3.1+
azure.delimiter            (new_line|array)        -3.0
s3.format                  text                    3.1+
s3.format                  (parquet|delta|json|csv) -3.0
s3.delimiter               text                    3.1+
s3.delimiter               (new_line|array)        -3.0
sftp.format                text                    3.1+
sftp.format                (parquet|delta|json|csv) -3.0
sftp.delimiter             text                    3.1+
sftp.delimiter             (new_line|array)        -3.0
`

// The server types that a release added, else 3.0.
var serverSince = map[string]Release{
	"hive": Release31, "impala": Release31, "zen": Release31,
	"btrieve": Release32, "exasol": Release32, "fastobjects": Release32, "hana": Release32, "iceberg": Release32, "ingres": Release32,
	"poet": Release32, "teradata": Release32, "vectorwise": Release32, "versant": Release32,
}
