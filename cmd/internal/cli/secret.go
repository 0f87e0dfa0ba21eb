package cli

import (
	"io"
	"reflect"

	"sluice/contracts"
)

// secrets hides the values of contract variables from everything that is for
// people or for logs. SQL that a user asks for holds them: it must run.
type secrets struct{ redactor contracts.Redactor }

func (s *secrets) hide(vars map[string]string) { s.redactor = contracts.NewRedactor(vars) }

// writer hides values in what goes through it. Messages are written whole, so a
// value never lies across two writes.
func (s *secrets) writer(w io.Writer) io.Writer { return &redacting{s, w} }

type redacting struct {
	secrets *secrets
	w       io.Writer
}

func (r *redacting) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.w, r.secrets.redactor.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// redacted is a report without the values: its table may be named after a
// variable, and an error of Spark repeats what it was sent.
func redacted[T any](s *secrets, report T) T {
	redactStrings(reflect.ValueOf(&report).Elem(), s.redactor.Text)
	return report
}

// redactStrings goes over every text of a report, whatever fields it grows.
func redactStrings(v reflect.Value, redact func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() { // a type of its own is a closed set
			v.SetString(redact(v.String()))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Elem().CanSet() {
			redactStrings(v.Elem(), redact)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				redactStrings(v.Field(i), redact)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			redactStrings(v.Index(i), redact)
		}
	default: // counts, times, and maps, whose keys are codes
	}
}
