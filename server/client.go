package server

import (
	"context"
	"net"
	"net/netip"
)

// A client is who shares the server with others: all that send the same token or, without one, come from the
// same address. Whoever waits does so as a client (queue.go).

type clientKey struct{}

// withClient puts the name of a client into the context of its requests.
func withClient(ctx context.Context, client string) context.Context {
	return context.WithValue(ctx, clientKey{}, client)
}

// clientOf is the client of a request, "" for the program itself, which is one too.
func clientOf(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}

// addressOf names a client by its address and port. Of IPv6 that is its network: a machine has as many addresses there as it likes.
func addressOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() || ip.IsLoopback() {
		return ip.String()
	}
	network, _ := ip.Prefix(64)
	return network.String()
}

type readerKey struct{}

// reader is the context of a client that may not change facts, with the reason.
func reader(ctx context.Context, why string) context.Context {
	return context.WithValue(ctx, readerKey{}, why)
}

// refusedTo is why a client may not change facts, "" where it may.
func refusedTo(ctx context.Context) string {
	why, _ := ctx.Value(readerKey{}).(string)
	return why
}
