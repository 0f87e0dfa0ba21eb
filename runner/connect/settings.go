package connect

import (
	"context"
	"fmt"
	"strings"

	"sluice/gen/plan"
	"sluice/runner"
)

// pair is a setting in protobuf's JSON form; no value means that it is not set.
type pair struct {
	Key   string  `json:"key"`
	Value *string `json:"value,omitempty"`
}

// Set changes a setting of the session.
func (s *Session) Set(ctx context.Context, key, value string) error {
	return s.settingError("setting", key, s.run(ctx, false, func(ctx context.Context) error {
		return s.set(ctx, plan.Setting{Key: key, Value: value})
	}))
}

// Unset returns a setting to the server's default.
func (s *Session) Unset(ctx context.Context, key string) error {
	return s.settingError("unsetting", key, s.run(ctx, false, func(ctx context.Context) error {
		return s.config(ctx, map[string]any{"unset": map[string]any{"keys": []string{key}}}, nil)
	}))
}

func (s *Session) settingError(verb, key string, err error) error {
	if err != nil {
		return fmt.Errorf("%s %s: %w", verb, key, err)
	}
	return nil
}

// config is one Config call: any number of pairs travel in it.
func (s *Session) config(ctx context.Context, operation map[string]any, reply any) error {
	return s.wire.invoke(ctx, s.conn, "Config", "ConfigRequest", "ConfigResponse", map[string]any{"operation": operation}, reply)
}

func (s *Session) set(ctx context.Context, settings ...plan.Setting) error {
	pairs := make([]pair, len(settings))
	for i, p := range settings {
		pairs[i] = pair{Key: p.Key, Value: &p.Value}
	}
	return s.config(ctx, map[string]any{"set": map[string]any{"pairs": pairs}}, nil)
}

// apply sets all settings and reads them back: a server that ignores one would
// read dates, decimals or literals in another way than the plan was written for.
func (s *Session) apply(ctx context.Context, settings []plan.Setting) error {
	if len(settings) == 0 {
		return nil
	}
	if err := s.run(ctx, false, func(ctx context.Context) error { return s.set(ctx, settings...) }); err != nil {
		return s.blame(ctx, settings, err)
	}
	got, err := s.read(ctx, settings)
	if err != nil {
		return fmt.Errorf("reading the session settings back: %w", err)
	}
	for _, p := range settings {
		if v := got[p.Key]; v == nil || !strings.EqualFold(*v, p.Value) {
			return fmt.Errorf("setting %s: the server kept %s instead of %q; sluice needs it to read values the same way everywhere", p.Key, shown(v), p.Value)
		}
	}
	return nil
}

// blame sends the settings one by one, to name the one that is refused.
func (s *Session) blame(ctx context.Context, settings []plan.Setting, all error) error {
	for _, p := range settings {
		if err := s.Set(ctx, p.Key, p.Value); err != nil {
			return err
		}
	}
	return fmt.Errorf("setting the session up: %w", all)
}

func (s *Session) read(ctx context.Context, settings []plan.Setting) (map[string]*string, error) {
	keys := make([]string, len(settings))
	for i, p := range settings {
		keys[i] = p.Key
	}
	var reply struct{ Pairs []pair }
	err := s.run(ctx, false, func(ctx context.Context) error {
		return s.config(ctx, map[string]any{"getOption": map[string]any{"keys": keys}}, &reply)
	})
	out := make(map[string]*string, len(reply.Pairs))
	for _, p := range reply.Pairs {
		out[p.Key] = p.Value
	}
	return out, err
}

func shown(v *string) string {
	if v == nil {
		return "no value"
	}
	return fmt.Sprintf("%q", *v)
}

var _ runner.Session = (*Session)(nil)
