package connect

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"sluice/runner"

	"github.com/apache/spark-connect-go/v35/spark/sparkerrors"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxText bounds the message of a StatementError, in characters.
const maxText = 2000

var (
	// classText finds [CLASS] or [CLASS.SUB] at the start of a message, or after
	// the Java class that a failed task puts before it. Spark 3.5 sends no fields.
	classText = regexp.MustCompile(`(?:^\s*|[:)]\s)\[([A-Z][A-Z0-9_]*(?:\.[A-Z][A-Z0-9_]*)*)\]\s`)
	stateText = regexp.MustCompile(`SQLSTATE: ([0-9A-Z]{5})\b`)
)

// classify turns whatever a call returned into a StatementError. effect says
// that the statement was run for its effect, so that even a reply which cannot
// be read leaves it unknown whether the statement has run.
func (w *wire) classify(ctx context.Context, c *call, effect bool, err error) *runner.StatementError {
	_, sent := c.state()
	var spark *sparkerrors.SparkError
	if !errors.As(err, &spark) {
		// Not status.FromError: it would take over the client's wrapping, which
		// holds the statement's text.
		var st interface{ GRPCStatus() *status.Status }
		if !errors.As(err, &st) {
			return &runner.StatementError{
				Message: shorten(w.redact("reading the reply: " + cause(err).Error())), Unknown: effect && sent, Err: ctx.Err(),
			}
		}
		spark = sparkerrors.FromRPCError(st.GRPCStatus().Err())
	}
	out := &runner.StatementError{Class: class(spark), SQLState: spark.SqlState}
	if m := stateText.FindStringSubmatch(spark.Message); out.SQLState == "" && m != nil {
		out.SQLState = m[1]
	}
	refused := spark.Reason != "" || out.Class != ""
	switch {
	case refused:
		out.Message = w.redact(message(spark, out.Class))
		out.Unknown = sent && undecided(spark, out.Class)
	case ctx.Err() != nil:
		out.Message = "the statement was stopped before it was sent"
		if sent {
			out.Message = "the statement was stopped while it ran, and the server was asked to stop it too"
		}
		out.Unknown, out.Err = sent, ctx.Err()
		return out
	default:
		out.Message = w.redact(w.transport(spark, sent))
		out.Unknown = sent && !rejected(spark)
	}
	out.Message = shorten(out.Message)
	out.Err = status.Error(spark.Code, out.Message)
	return out
}

// class is the error class from the fields of Spark 4, else from the text.
func class(e *sparkerrors.SparkError) string {
	if e.ErrorClass != "" {
		return e.ErrorClass
	}
	if m := classText.FindStringSubmatch(e.Message); m != nil {
		return m[1]
	}
	return ""
}

// undecided lists the refusals after which the effect may be there all the same:
// a commit that succeeded before something else failed, or one interrupted.
func undecided(e *sparkerrors.SparkError, class string) bool {
	switch {
	case class == "OPERATION_CANCELED", class == "SPARK_JOB_CANCELLED", class == "DELTA_POST_COMMIT_HOOK_FAILED",
		strings.HasPrefix(class, "INVALID_HANDLE.OPERATION_"):
		return true
	default:
		return strings.Contains(e.Reason, "CommitStateUnknown") || strings.Contains(e.Message, "CommitStateUnknownException")
	}
}

// rejected reports whether a gRPC code without any word from Spark says that the
// call was turned away before it could run. All other codes leave that open.
func rejected(e *sparkerrors.SparkError) bool {
	switch e.Code {
	case codes.ResourceExhausted:
		return tooLarge(e)
	case codes.Unauthenticated, codes.PermissionDenied, codes.Unimplemented, codes.InvalidArgument:
		return true
	default:
		return false
	}
}

// cause is err without the client's wrapping, which holds the statement's text.
func cause(err error) error {
	for strings.Contains(err.Error(), "failed to execute sql: ") {
		next := errors.Unwrap(err)
		if many, ok := err.(interface{ Unwrap() []error }); ok { // one level at a time
			next = many.Unwrap()[len(many.Unwrap())-1]
		}
		if next == nil {
			break
		}
		err = next
	}
	return err
}

// tooLarge reports that gRPC refused, on our side, to send the request.
func tooLarge(e *sparkerrors.SparkError) bool {
	return strings.HasPrefix(e.Message, "trying to send message larger than max")
}

// message is Spark's message without what it repeats of the statement: the query
// text under "== SQL", the plan after ";\n" and the JVM's stack trace.
func message(e *sparkerrors.SparkError, class string) string {
	s := e.Message
	for _, mark := range []string{"\n== SQL", ";\n", "\n\nJVM stacktrace", "\nDriver stacktrace", "\n\tat "} {
		s, _, _ = strings.Cut(s, mark)
	}
	s = strings.TrimSpace(s)
	if class != "" && !strings.Contains(s, "["+class+"]") {
		s = "[" + class + "] " + s
	}
	return s
}

// transport explains an error of the connection and what would fix it.
func (w *wire) transport(e *sparkerrors.SparkError, sent bool) string {
	text := e.Message
	if i := strings.LastIndex(text, "Error while dialing: "); i >= 0 {
		text = text[i+len("Error while dialing: "):]
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "connection error: desc = "), `"`)
	name := w.remote.name()
	switch {
	case tooLarge(e):
		return fmt.Sprintf("sending a request to %s: it is above %d MiB; send fewer rows at once", name, maxMessage>>20)
	case e.Code == codes.Unauthenticated || e.Code == codes.PermissionDenied:
		return fmt.Sprintf("connecting to %s: %s; is SLUICE_TOKEN or SLUICE_TOKEN_FILE set to a token that is still valid?", name, text)
	case strings.Contains(text, "x509:"):
		return fmt.Sprintf("connecting to %s: %s; name the authority's certificate in SLUICE_CA_FILE", name, text)
	case strings.Contains(text, "does not look like a TLS handshake"):
		return fmt.Sprintf("connecting to %s: %s; the server speaks no TLS: use_ssl=false", name, text)
	case strings.Contains(text, "error reading server preface"):
		return fmt.Sprintf("connecting to %s: %s; if the server expects TLS, add use_ssl=true", name, text)
	case sent:
		return fmt.Sprintf("losing the connection to %s while a statement ran: %s: %s", name, e.Code, text)
	default:
		return fmt.Sprintf("connecting to %s: %s; is the server up? (sluice spark status)", name, text)
	}
}

func shorten(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if utf8.RuneCountInString(s) <= maxText {
		return s
	}
	return string([]rune(s)[:maxText-1]) + "…"
}
