// Candidates with client-go's own leader election on one Lease object.
// Arguments: kubeconfig, number of candidates, lease duration in seconds, namespace.
// The renew deadline and the retry period keep client-go's proportions: 15 s, 10 s and 2 s.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sortition.bench/herd/herd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	// The limit of requests is a client's own, and each candidate is a client in real life.
	config.QPS = -1
	count, err := strconv.Atoi(os.Args[2])
	must(err)
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	must(err)
	lease := time.Duration(seconds * float64(time.Second))

	crashes := map[string]context.CancelFunc{}
	// Until each has seen who leads.
	var joined sync.WaitGroup
	joined.Add(count)
	for i := range count {
		name := fmt.Sprintf("c%04d", i)
		client, err := kubernetes.NewForConfig(config)
		must(err)
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "herd", Namespace: os.Args[4]},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		var knows sync.Once
		ctx, crash := context.WithCancel(context.Background())
		crashes[name] = crash
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock:          lock,
			LeaseDuration: lease,
			RenewDeadline: lease * 10 / 15,
			RetryPeriod:   lease * 2 / 15,
			// A crash releases nothing.
			ReleaseOnCancel: false,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { herd.Tell("leads", name) },
				OnStoppedLeading: func() {},
				OnNewLeader:      func(string) { knows.Do(joined.Done) },
			},
		})
	}
	joined.Wait()
	herd.Tell("joined", "")
	herd.Orders(func(name string) { crashes[name]() })
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
