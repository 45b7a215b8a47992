// The first process of every pod: it holds the pod's namespaces open, and where a pod's containers
// share their processes it takes away those that nobody waits for.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGCHLD) // then Linux reaps them itself
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
}
