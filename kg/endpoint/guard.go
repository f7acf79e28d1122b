package endpoint

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// Guard says which addresses may be asked on behalf of somebody else. The zero value allows none.
type Guard struct {
	// Allowed are addresses: one that ends in "/" stands for all below it, "*" for all that are public.
	Allowed []string
	// Private has names lead to addresses of this machine and of private networks, too. One that stands in the list as a number, or as
	// localhost, needs no more than that.
	Private bool
}

// Empty tells that nothing is allowed.
func (g Guard) Empty() bool { return len(g.Allowed) == 0 }

// Check refuses lists with what is no address.
func (g Guard) Check() error {
	for _, entry := range g.Allowed {
		if _, err := parseAddress(entry); entry != "*" && err != nil {
			return err
		}
	}
	return nil
}

// parseAddress reads what may be asked by HTTP.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, kg.Errorf(kg.Invalid, address, "expected an address http://… or https://…")
	}
	return u, nil
}

// verdict is what a guard says of an address.
type verdict struct {
	allowed bool
	private bool // it may be one of this machine or of a private network
}

func (g Guard) judge(u *url.URL) (v verdict) {
	v.private = g.Private
	for _, entry := range g.Allowed {
		if entry == "*" {
			v.allowed = true
			continue
		}
		listed, err := parseAddress(entry)
		if err != nil || !covers(listed, u) {
			continue
		}
		v.allowed = true
		_, notNumber := netip.ParseAddr(listed.Hostname())
		v.private = v.private || notNumber == nil || strings.EqualFold(listed.Hostname(), "localhost")
	}
	return v
}

// covers tells whether an entry of the list means an address.
func covers(listed, u *url.URL) bool {
	if !strings.EqualFold(listed.Scheme, u.Scheme) || !strings.EqualFold(listed.Host, u.Host) || u.User != nil {
		return false
	}
	if !strings.HasSuffix(listed.Path, "/") {
		return listed.Path == u.Path && listed.RawQuery == u.RawQuery
	}
	clean := path.Clean("/" + u.Path)
	return strings.HasPrefix(clean+"/", path.Clean(listed.Path)+"/") || path.Clean(listed.Path) == "/"
}

// client is one that asks an address and what that redirects to, as far as the guard allows. It uses no proxy, which would
// look names up elsewhere.
func (g Guard) client(address string, most time.Duration) (*http.Client, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	v := g.judge(u)
	if !v.allowed {
		return nil, kg.Errorf(kg.Invalid, address, "this address is not allowed here")
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !v.private {
		dialer.Control = publicOnly
	}
	return &http.Client{
		Timeout:   most,
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, TLSHandshakeTimeout: 10 * time.Second},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			to := g.judge(next.URL)
			if len(before) > 5 || !to.allowed || v.private && !to.private {
				return fmt.Errorf("it leads on to %s, which is not allowed here", next.URL.Redacted())
			}
			return nil
		},
	}, nil
}

// publicOnly is asked with the number that a name was found to have, so that no name can hide one.
func publicOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(at.Addr()) {
		return fmt.Errorf("%s is an address of this machine or of a private network, which is not allowed here", address)
	}
	return nil
}

// special are networks that are not the public internet, beside those that package netip knows, or that lead into them.
var special = func() (all []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}()

func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}
