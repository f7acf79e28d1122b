package endpoint

import (
	"net/netip"
	"net/url"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	for text, public := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "8.8.8.8": true,
		"127.0.0.1": false, "127.9.9.9": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.0.1": false, "169.254.169.254": false, "0.0.0.0": false,
		"100.64.0.1": false, "224.0.0.1": false, "255.255.255.255": false, "::1": false, "::": false, "fe80::1": false, "fc00::1": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "::127.0.0.1": false,
	} {
		if isPublic(netip.MustParseAddr(text)) != public {
			t.Errorf("%s is public: %v", text, !public)
		}
	}
}

func TestGuard(t *testing.T) {
	g := Guard{Allowed: []string{"https://a.org/sparql", "http://b.org/data/", "http://localhost:8/x", "http://10.0.0.1/"}}
	for text, want := range map[string]verdict{
		"https://a.org/sparql":                   {allowed: true},
		"https://A.org/sparql":                   {allowed: true},
		"https://a.org/sparql/":                  {},
		"https://a.org/sparql?x=1":               {},
		"http://a.org/sparql":                    {},
		"https://a.org:444/sparql":               {},
		"https://me@a.org/sparql":                {},
		"https://a.org@evil.org/sparql":          {},
		"http://b.org/data/":                     {allowed: true},
		"http://b.org/data/x/y.ttl?v=1":          {allowed: true},
		"http://b.org/data/../secret":            {},
		"http://b.org/data/%2e%2e/secret":        {},
		"http://b.org/database":                  {},
		"http://localhost:8/x":                   {allowed: true, private: true},
		"http://10.0.0.1/anything":               {allowed: true, private: true},
		"http://10.0.0.2/anything":               {},
		"http://b.org.evil.org/data/":            {},
		"http://169.254.169.254/latest/metadata": {},
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.judge(u); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	if err := (Guard{Allowed: []string{"*", "ftp://x/"}}).Check(); err == nil {
		t.Error("ftp is allowed")
	}
}
