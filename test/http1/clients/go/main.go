// Go's net/http as a client of test/http1/clients: the plan is on standard input, see plan.mjs.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	lines := bufio.NewReader(os.Stdin)
	client := &http.Client{}
	session := ""
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		body, _ := hex.DecodeString(parts[len(parts)-1])
		request, err := http.NewRequest(parts[0], parts[1], bytes.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		for _, field := range parts[2 : len(parts)-1] {
			name, value, _ := strings.Cut(field, ": ")
			request.Header.Set(name, strings.Replace(value, "$session", session, 1))
		}
		response, err := client.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		fmt.Printf("%d\t%s\n", response.StatusCode, hex.EncodeToString(text))
	}
}
