package render

import (
	"bytes"
	"io"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters"
	"github.com/alecthomas/chroma/v2/lexers"
)

// sqlStyle names only what stands out: the rest keeps the terminal's own colour,
// which can be read on a light and on a dark ground.
var sqlStyle = chroma.MustNewStyle("sluice", chroma.StyleEntries{
	chroma.Comment:       "#ansidarkgray",
	chroma.Keyword:       "bold #ansidarkblue",
	chroma.LiteralString: "#ansidarkgreen",
	chroma.LiteralNumber: "#ansipurple",
})

// Highlight writes SQL in the colours of a terminal. Without them the text is the
// one that was given.
func Highlight(w io.Writer, sql []byte) error {
	var out bytes.Buffer
	tokens, err := chroma.Coalesce(lexers.Get("sql")).Tokenise(nil, string(sql))
	if err == nil {
		err = formatters.TTY16.Format(&out, sqlStyle, tokens)
	}
	if err != nil { // colours are no reason to show nothing
		_, err = w.Write(sql)
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}
