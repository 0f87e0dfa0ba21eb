package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"

	"sluice/cmd/internal/render"
)

// read shows SQL to a person: in colour and by a pager where standard output is a
// terminal, and else as it is, so that a file or a pipe holds plain SQL.
func (env Env) read(ctx context.Context, sql []byte) error {
	return env.show(ctx, sql, render.Highlight)
}

// show is read with the colours of another text than SQL.
func (env Env) show(ctx context.Context, plain []byte, colour func(io.Writer, []byte) error) error {
	if !env.Reader {
		_, err := env.Stdout.Write(plain)
		return err
	}
	text := plain
	if env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb" {
		var coloured bytes.Buffer
		if err := colour(&coloured, plain); err != nil {
			return err
		}
		text = coloured.Bytes()
	}
	if shown, err := env.page(ctx, text); shown {
		return err
	}
	_, err := env.Stdout.Write(text)
	return err
}

// page runs $PAGER, or less, which leaves at once where all fits on the screen. An
// empty PAGER, or one that is not there, shows nothing.
func (env Env) page(ctx context.Context, text []byte) (shown bool, err error) {
	words := strings.Fields(env.Getenv("PAGER"))
	if len(words) == 0 {
		if env.NoPager {
			return false, nil
		}
		words = []string{"less", "-FRX"}
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return false, nil
	}
	// Not ended with ctx: an interrupt is for the pager, which breaks off a search by it.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), unwrapped(env.Stdout), env.Stderr
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) { // a pager that is left early has shown what was asked for
		err = nil
	}
	return true, err
}

// unwrapped is the file itself: behind a pipe a pager takes its output for no terminal
// and prints everything at once.
func unwrapped(w io.Writer) io.Writer {
	if out, is := w.(*output); is {
		return out.w
	}
	return w
}
