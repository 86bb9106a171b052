// Go's net/http as a peer of test/http1/differential: `server` answers each request with what it has read, `client` asks for
// each line "METHOD URL" of its standard input twice, over one connection where that goes, and says what it has read.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

func latin1(bytes []byte) string {
	var text strings.Builder
	for _, one := range bytes {
		text.WriteRune(rune(one))
	}
	return text.String()
}

func server() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(400)
			return
		}
		text, _ := json.Marshal(map[string]string{"method": r.Method, "path": r.URL.Path, "body": latin1(body)})
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	})
	log.Fatal((&http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}).Serve(listener))
}

// A client that waits for more has read something else than one that refuses.
func fault(err error) string {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return "waits"
	}
	return "refused"
}

func ask(client *http.Client, method string, url string) string {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return "refused"
	}
	response, err := client.Do(request)
	if err != nil {
		return fault(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fault(err)
	}
	text, _ := json.Marshal(latin1(body))
	return fmt.Sprintf("%d %s", response.StatusCode, text)
}

func client() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		method, url, _ := strings.Cut(lines.Text(), " ")
		client := &http.Client{
			Timeout:       2 * time.Second,
			Transport:     &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		first := ask(client, method, url)
		fmt.Printf("%s\t%s\n", first, ask(client, "GET", url))
		client.CloseIdleConnections()
	}
}

func main() {
	log.SetOutput(io.Discard)
	if len(os.Args) > 1 && os.Args[1] == "client" {
		client()
	} else {
		server()
	}
}
