package connect

import (
	"fmt"

	"sluice/runner"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/spark-connect-go/v35/spark/sql/types"
)

// convert keys each row by column name and narrows its values to a few types.
func convert(rows []types.Row) ([]runner.Row, error) {
	out := make([]runner.Row, 0, len(rows))
	for _, r := range rows {
		names, values := r.FieldNames(), r.Values()
		row := make(runner.Row, len(names))
		for i, name := range names {
			v, err := value(values[i])
			if err != nil {
				return nil, fmt.Errorf("column %q: %w", name, err)
			}
			row[name] = v
		}
		out = append(out, row)
	}
	return out, nil
}

func value(v any) (any, error) {
	switch v := v.(type) {
	case nil, string, bool, int64, float64:
		return v, nil
	case int8:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case float32:
		return float64(v), nil
	case arrow.Date32:
		return int64(v), nil
	case arrow.Timestamp:
		return int64(v), nil
	case []byte:
		return string(v), nil
	case []any:
		return list(v)
	case map[string]any:
		return pairs(v)
	case map[any]any:
		return pairs(v)
	default:
		return nil, fmt.Errorf("%T cannot be read without loss; cast it to STRING in the query", v)
	}
}

func list(in []any) (any, error) {
	out := make([]any, len(in))
	for i, v := range in {
		var err error
		if out[i], err = value(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pairs converts a map or a struct; the keys of a map are written as text.
func pairs[K comparable](in map[K]any) (any, error) {
	out := make(map[string]any, len(in))
	for k, v := range in {
		converted, err := value(v)
		if err != nil {
			return nil, err
		}
		out[fmt.Sprint(k)] = converted
	}
	return out, nil
}
