module sluice

go 1.26.0

require (
	github.com/apache/spark-connect-go/v35 v35.0.0-20250317154112-ffd832059443 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/urfave/cli/v2 v2.27.7 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	golang.org/x/mod v0.43.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
