// goja: an engine written in Go, running a barewire server. goja BUNDLE CALLS (questions|none): prints one JSON line.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Reachable bytes of the heap.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func main() {
	code, err := os.ReadFile(os.Args[1])
	must(err)
	calls, _ := strconv.Atoi(os.Args[2])
	asks := os.Args[3] == "questions"
	engine := goja.New()
	program, err := goja.Compile("device.js", string(code), false)
	must(err)
	empty := heap()
	started := time.Now()
	var said []string
	must(engine.Set("writeLine", func(text string) { said = append(said, text) }))
	_, err = engine.RunProgram(program)
	must(err)
	loaded := heap() - empty
	var readLine func(string)
	read := func(text string) {
		must(engine.ExportTo(engine.Get("readLine"), &readLine))
		readLine(text)
	}
	capabilities := "{}"
	if asks {
		capabilities = `{"elicitation":{}}`
	}
	read(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"c","version":"1"}}}`)
	read(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	said = nil
	answered := 0
	var first float64
	began := time.Now()
	for at := 0; at < calls; at++ {
		params := [3]string{`"name":"set_pin","arguments":{"pin":` + strconv.Itoa(at%40) + `,"on":true}`,
			`"name":"read_sensor","arguments":{"unit":"C"},"_meta":{"progressToken":` + strconv.Itoa(at) + `}`, `"name":"calibrate","arguments":{}`}[at%3]
		read(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s}}`, at, params))
		for len(said) > 0 {
			text := said[0]
			said = said[1:]
			if asks && strings.Contains(text, `"elicitation/create"`) {
				var question struct{ ID json.RawMessage }
				must(json.Unmarshal([]byte(text), &question))
				read(`{"jsonrpc":"2.0","id":` + string(question.ID) + `,"result":{"action":"accept","content":{"dry":true}}}`)
			} else if strings.Contains(text, `"result":{"content"`) {
				answered++
			}
		}
		if at == 0 {
			first = float64(time.Since(started).Microseconds()) / 1000
		}
	}
	if answered != calls {
		panic(fmt.Sprintf("%d of %d calls were answered", answered, calls))
	}
	each := float64(time.Since(began).Microseconds()) / float64(calls)
	fmt.Printf(`{"loaded":%d,"after":%d,"code":%d,"firstMs":%.1f,"callUs":%.0f}`+"\n", loaded, heap()-empty, len(code), first, each)
}
