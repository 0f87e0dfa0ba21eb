package connect

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/runner"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestStatementsAreCountedOnce(t *testing.T) {
	f := newFake(t)
	f.analyze = map[string]any{"struct": map[string]any{}}
	count := map[string]int{}
	s := f.open(Config{OnStatement: func(_, kind string) { count[kind]++ }, Catalog: "lake`house"})
	_, queried := s.Query(t.Context(), "SELECT 1 AS n")
	_, described := s.Describe(t.Context(), "SELECT 1 AS n")
	viewed := s.View(t.Context(), "v", []Field{{"a", "STRING"}, {"n", "BIGINT"}}, [][]any{{"x", int64(1)}, {nil, nil}})
	if err := errors.Join(queried, described, viewed, s.Exec(t.Context(), "DELETE FROM t")); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]int{KindSQL: 3, KindCollect: 1, KindDescribe: 1, KindView: 1} {
		if count[kind] != want {
			t.Errorf("%s: %d, want %d", kind, count[kind], want)
		}
	}
	first := dig(f.seen("ExecutePlan")[0].body, "plan", "command", "sqlCommand")["sql"]
	if first != "SET CATALOG `lake``house`" {
		t.Errorf("the catalog was set by %q", first)
	}
}

func TestExecRunsOnce(t *testing.T) {
	f := newFake(t)
	s := f.open(Config{})
	// The server hands a query back as a relation; collecting it would run it.
	if err := s.Exec(t.Context(), "SELECT raise_error('x')"); err != nil {
		t.Fatal(err)
	}
	if n := len(f.seen("ExecutePlan")); n != 1 {
		t.Errorf("%d calls", n)
	}
	calls := f.seen("ExecutePlan")
	if got := unknownText(calls[0].unknown, 8); got != "server-side" {
		t.Errorf("the call names the server's session %q", got)
	}
}

func TestHeartbeatBesideASlowStatement(t *testing.T) {
	f := newFake(t)
	f.execute = func(_ context.Context, sql string, send func(map[string]any) error) error {
		time.Sleep(300 * time.Millisecond)
		return send(sqlResult(sql))
	}
	s := f.open(Config{Heartbeat: 20 * time.Millisecond})
	before := len(f.seen("Config"))
	if err := s.Exec(t.Context(), "MERGE"); err != nil {
		t.Fatal(err)
	}
	if beats := len(f.seen("Config")) - before; beats < 3 {
		t.Errorf("%d beats", beats)
	}
	time.Sleep(50 * time.Millisecond) // the last beat may still be on its way
	after := len(f.seen("Config"))
	time.Sleep(100 * time.Millisecond)
	if idle := len(f.seen("Config")); idle != after {
		t.Errorf("%d beats after the statement", idle-after)
	}
}

func TestBrokenTransportIsUnknown(t *testing.T) {
	cases := map[string]func(send func(map[string]any) error) error{
		"unavailable":      func(func(map[string]any) error) error { return status.Error(codes.Unavailable, "proxy restarted") },
		"reset":            func(func(map[string]any) error) error { return status.Error(codes.Internal, "RST_STREAM") },
		"ends in silence":  func(func(map[string]any) error) error { return nil },
		"only the metrics": func(send func(map[string]any) error) error { return send(map[string]any{"metrics": map[string]any{}}) },
	}
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.execute = func(_ context.Context, _ string, send func(map[string]any) error) error { return answer(send) }
			s := f.open(Config{})
			e := statementError(t, s.Exec(t.Context(), "INSERT INTO t SELECT 'secret text'"))
			if !e.Unknown || e.Class != "" || strings.Contains(e.Message, "secret text") {
				t.Errorf("got %+v", e)
			}
			operation := f.seen("ExecutePlan")[0].body["operationId"]
			stops := f.seen("Interrupt")
			if len(stops) != 1 || stops[0].body["operationId"] != operation || operation == nil {
				t.Errorf("operation %v was stopped by %v", operation, stops)
			}
		})
	}
}

func TestServerGoneWhileAStatementRuns(t *testing.T) {
	f := newFake(t)
	f.execute = func(ctx context.Context, _ string, _ func(map[string]any) error) error {
		go f.stop()
		<-ctx.Done()
		return ctx.Err()
	}
	s := f.open(Config{})
	if e := statementError(t, s.Exec(t.Context(), "MERGE 'secret text'")); !e.Unknown || strings.Contains(e.Message, "secret text") {
		t.Errorf("in flight: %+v", e)
	}
	e := statementError(t, s.Exec(t.Context(), "MERGE 'secret text'"))
	if e.Unknown || strings.Contains(e.Message, "secret text") || !strings.HasSuffix(e.Message, "is the server up? (sluice spark status)") {
		t.Errorf("not sent: %+v", e)
	}
}

func TestTooLargeIsNotSent(t *testing.T) {
	f := newFake(t)
	s := f.open(Config{})
	e := statementError(t, s.Exec(t.Context(), strings.Repeat("x", maxMessage+1)))
	if e.Unknown || !strings.Contains(e.Message, "above 128 MiB") || len(f.seen("ExecutePlan")) != 0 {
		t.Errorf("got %+v", e)
	}
}

func TestCancelStopsTheServer(t *testing.T) {
	f := newFake(t)
	running := make(chan struct{})
	f.execute = func(ctx context.Context, _ string, _ func(map[string]any) error) error {
		close(running)
		<-ctx.Done()
		return ctx.Err()
	}
	s := f.open(Config{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running; cancel() }()
	err := s.Exec(ctx, "MERGE")
	e := statementError(t, err)
	if !e.Unknown || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v", e)
	}
	if len(f.seen("Interrupt")) != 1 {
		t.Error("the server was not told")
	}
	e = statementError(t, s.Exec(ctx, "MERGE"))
	if e.Unknown || len(f.seen("ExecutePlan")) != 1 {
		t.Errorf("a statement under a cancelled context: %+v", e)
	}
}

func TestOneStatementInFlight(t *testing.T) {
	f := newFake(t)
	var mu sync.Mutex
	running, most := 0, 0
	f.execute = func(_ context.Context, sql string, send func(map[string]any) error) error {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		running--
		mu.Unlock()
		return send(sqlResult(sql))
	}
	s := f.open(Config{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Exec(t.Context(), "SELECT 1"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most != 1 {
		t.Errorf("%d statements at once", most)
	}
}

func TestLargeResult(t *testing.T) {
	f := newFake(t)
	wide := strings.Repeat("x", 6<<20)
	f.execute = func(_ context.Context, sql string, send func(map[string]any) error) error {
		if strings.HasPrefix(sql, "collect ") {
			return send(batch(t, []Field{{"a", "STRING"}, {"n", "BIGINT"}}, [][]any{{wide, int64(7)}, {nil, nil}}))
		}
		return send(sqlResult(sql))
	}
	rows, err := f.open(Config{}).Query(t.Context(), "SELECT a, n FROM t")
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if rows[0]["a"] != wide || rows[0]["n"] != int64(7) || rows[1]["a"] != nil || rows[1]["n"] != nil {
		t.Error("the rows differ")
	}
}

func TestAnotherSessionsReply(t *testing.T) {
	f := newFake(t)
	s := f.open(Config{})
	f.foreign = true
	e := statementError(t, s.Exec(t.Context(), "MERGE 'secret text'"))
	if !e.Unknown || strings.Contains(e.Message, "secret text") || !strings.Contains(e.Message, "session id") {
		t.Errorf("got %+v", e)
	}
}

func TestUnreadableResultIsNoPanic(t *testing.T) {
	for name, reply := range map[string]map[string]any{
		"no batch":     {"metrics": map[string]any{}},
		"broken batch": {"arrowBatch": map[string]any{"rowCount": 1, "data": []byte("no arrow")}},
	} {
		f := newFake(t)
		f.execute = func(_ context.Context, sql string, send func(map[string]any) error) error {
			if strings.HasPrefix(sql, "collect ") {
				return send(reply)
			}
			return send(sqlResult(sql))
		}
		_, err := f.open(Config{}).Query(t.Context(), "SELECT 1 AS n")
		if e := statementError(t, err); e.Unknown {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestRefusals(t *testing.T) {
	cases := []struct {
		name    string
		message string
		info    *errdetails.ErrorInfo
		want    runner.StatementError
	}{
		{
			"fields of Spark 4",
			"[TABLE_OR_VIEW_NOT_FOUND] The table or view `t` cannot be found. SQLSTATE: 42P01; line 1 pos 14;\n'Project [*]\n+- 'UnresolvedRelation [t]",
			&errdetails.ErrorInfo{Reason: "org.apache.spark.sql.AnalysisException", Metadata: map[string]string{"errorClass": "TABLE_OR_VIEW_NOT_FOUND", "sqlState": "42P01"}},
			runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND", SQLState: "42P01", Message: "[TABLE_OR_VIEW_NOT_FOUND] The table or view `t` cannot be found. SQLSTATE: 42P01; line 1 pos 14"},
		},
		{
			"text of Spark 3.5",
			"[DELTA_VIOLATE_CONSTRAINT_WITH_VALUES] CHECK constraint c (x > 0) violated by row with values:\n - x : -1",
			&errdetails.ErrorInfo{Reason: "org.apache.spark.sql.delta.schema.DeltaInvariantViolationException"},
			runner.StatementError{Class: "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", Message: "[DELTA_VIOLATE_CONSTRAINT_WITH_VALUES] CHECK constraint c (x > 0) violated by row with values:\n - x : -1"},
		},
		{
			"a failed task",
			"Job aborted: Lost task 0.0 in stage 1.0: org.apache.spark.SparkArithmeticException: [DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012\n== SQL (line 1, position 8) ==\nSELECT 1/0\n       ^^^",
			nil,
			runner.StatementError{Class: "DIVIDE_BY_ZERO", SQLState: "22012", Message: "Job aborted: Lost task 0.0 in stage 1.0: org.apache.spark.SparkArithmeticException: [DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"},
		},
		{
			"a class that the text lacks",
			"Something",
			&errdetails.ErrorInfo{Reason: "x", Metadata: map[string]string{"errorClass": "A_CLASS.SUB"}},
			runner.StatementError{Class: "A_CLASS.SUB", Message: "[A_CLASS.SUB] Something"},
		},
		{
			"no class at all",
			"java.lang.NullPointerException",
			&errdetails.ErrorInfo{Reason: "java.lang.NullPointerException"},
			runner.StatementError{Message: "java.lang.NullPointerException"},
		},
		{
			"committed, then failed",
			"[DELTA_POST_COMMIT_HOOK_FAILED] Committing to the Delta table version 7 succeeded but error while executing post-commit hook x",
			&errdetails.ErrorInfo{Reason: "x"},
			runner.StatementError{Class: "DELTA_POST_COMMIT_HOOK_FAILED", Unknown: true, Message: "[DELTA_POST_COMMIT_HOOK_FAILED] Committing to the Delta table version 7 succeeded but error while executing post-commit hook x"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.execute = func(context.Context, string, func(map[string]any) error) error {
				st := status.New(codes.Internal, c.message)
				if c.info != nil {
					st, _ = st.WithDetails(c.info)
				}
				return st.Err()
			}
			got := *statementError(t, f.open(Config{}).Exec(t.Context(), "SELECT * FROM t"))
			got.Err = nil
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestMessagesAreShort(t *testing.T) {
	if got := []rune(shorten(strings.Repeat("ü", 5000))); len(got) != maxText {
		t.Errorf("%d characters", len(got))
	}
}

func TestViewRefusesOtherValues(t *testing.T) {
	for name, c := range map[string]struct {
		fields []Field
		row    []any
	}{
		"type":  {[]Field{{"a", "DOUBLE"}}, []any{1.5}},
		"value": {[]Field{{"a", "BIGINT"}}, []any{7}},
		"width": {[]Field{{"a", "BIGINT"}}, []any{int64(7), nil}},
	} {
		if _, err := arrowTable(c.fields, [][]any{c.row}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
