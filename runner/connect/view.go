package connect

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Field is one column of a view: Type is STRING or BIGINT, both nullable.
type Field struct {
	Name string
	Type string
}

// View registers rows as a temporary view of this session, replacing one of the
// same name. A value is a string, an int64 or nil. The rows travel in one
// message and stay in the driver's memory until the view is dropped: send files
// in chunks of some megabytes.
func (s *Session) View(ctx context.Context, name string, fields []Field, rows [][]any) error {
	table, err := arrowTable(fields, rows)
	if err != nil {
		return fmt.Errorf("building view %q: %w", name, err)
	}
	defer table.Release()
	err = s.run(ctx, true, func(ctx context.Context) error {
		if len(rows) == 0 {
			_, err := s.spark.Sql(ctx, emptyView(name, fields))
			return err
		}
		df, err := s.spark.CreateDataFrameFromArrow(ctx, table)
		if err != nil {
			return err
		}
		return df.CreateOrReplaceTempView(ctx, name)
	})
	if err != nil {
		return fmt.Errorf("registering view %q: %w", name, err)
	}
	return nil
}

// emptyView is a view of no rows, as SQL: the client sends no schema beside the
// rows, and without any the server refuses the upload.
func emptyView(name string, fields []Field) string {
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = fmt.Sprintf("CAST(NULL AS %s) AS %s", f.Type, ident(f.Name))
	}
	return fmt.Sprintf("CREATE OR REPLACE TEMPORARY VIEW %s AS SELECT %s WHERE false", ident(name), strings.Join(columns, ", "))
}

// ident quotes a name. It is gen/sparksql's rule, which runner must not import.
func ident(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func arrowTable(fields []Field, rows [][]any) (arrow.Table, error) {
	record, err := arrowRecord(fields, rows)
	if err != nil {
		return nil, err
	}
	defer record.Release()
	return array.NewTableFromRecords(record.Schema(), []arrow.Record{record}), nil
}

func arrowRecord(fields []Field, rows [][]any) (arrow.Record, error) {
	schema, err := arrowSchema(fields)
	if err != nil {
		return nil, err
	}
	builder := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer builder.Release()
	for i, row := range rows {
		if len(row) != len(fields) {
			return nil, fmt.Errorf("row %d has %d values for %d columns", i+1, len(row), len(fields))
		}
		for j, v := range row {
			if !add(builder.Field(j), v) {
				return nil, fmt.Errorf("row %d, column %q: %T is no %s", i+1, fields[j].Name, v, fields[j].Type)
			}
		}
	}
	return builder.NewRecord(), nil
}

func arrowSchema(fields []Field) (*arrow.Schema, error) {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		out[i] = arrow.Field{Name: f.Name, Nullable: true}
		switch f.Type {
		case "STRING":
			out[i].Type = arrow.BinaryTypes.String
		case "BIGINT":
			out[i].Type = arrow.PrimitiveTypes.Int64
		default:
			return nil, fmt.Errorf("column %q: type %q is not STRING or BIGINT", f.Name, f.Type)
		}
	}
	return arrow.NewSchema(out, nil), nil
}

func add(b array.Builder, v any) bool {
	if v == nil {
		b.AppendNull()
		return true
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		s, ok := v.(string)
		if ok {
			b.Append(s)
		}
		return ok
	case *array.Int64Builder:
		n, ok := v.(int64)
		if ok {
			b.Append(n)
		}
		return ok
	default:
		return false
	}
}
