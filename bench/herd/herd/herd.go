// Package herd is how the bench talks to candidates: orders come as lines on standard input, news go out as lines of JSON.
package herd

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"time"
)

type news struct {
	Event string `json:"event"`
	Name  string `json:"name,omitempty"`
	// Milliseconds since 1970.
	At int64 `json:"at"`
}

var writing sync.Mutex

// Tell writes one line of news.
func Tell(event, name string) {
	writing.Lock()
	defer writing.Unlock()
	line, _ := json.Marshal(news{event, name, time.Now().UnixMilli()})
	os.Stdout.Write(append(line, '\n'))
}

// Orders calls crash with a name for each line "crash NAME", until standard input closes.
func Orders(crash func(name string)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if name, is := strings.CutPrefix(lines.Text(), "crash "); is {
			crash(name)
		}
	}
}
