// Candidates with etcd's own election recipe. Arguments: endpoint, number of candidates, TTL in seconds.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"sortition.bench/herd/herd"
)

func main() {
	count, err := strconv.Atoi(os.Args[2])
	must(err)
	ttl, err := strconv.Atoi(os.Args[3])
	must(err)
	var knowing sync.Mutex
	crashes := map[string]func(){}
	var joined sync.WaitGroup
	for i := range count {
		name := fmt.Sprintf("c%04d", i)
		joined.Add(1)
		go func() {
			// A connection for each candidate, as processes of their own would have.
			client, err := clientv3.New(clientv3.Config{Endpoints: []string{os.Args[1]}})
			must(err)
			session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
			must(err)
			ctx, cancel := context.WithCancel(context.Background())
			knowing.Lock()
			crashes[name] = func() {
				// The lease is kept alive no longer, and is not revoked.
				session.Orphan()
				cancel()
			}
			knowing.Unlock()
			joined.Done()
			if concurrency.NewElection(session, "herd").Campaign(ctx, name) == nil {
				herd.Tell("leads", name)
			}
		}()
	}
	joined.Wait()
	// Until the key of each is there.
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{os.Args[1]}})
	must(err)
	for {
		keys, err := client.Get(context.Background(), "herd/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		must(err)
		if keys.Count == int64(count) {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	herd.Tell("joined", "")
	herd.Orders(func(name string) {
		knowing.Lock()
		defer knowing.Unlock()
		crashes[name]()
	})
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
