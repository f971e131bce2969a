package config

import (
	"net"
	"net/url"
	"strconv"
)

// checkURL refuses what is given and is no URL; it does not repeat the value,
// which may hold a password.
func checkURL(add adder, key, value string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		add(key, "is no http or https URL with a host")
	}
}

func checkListen(add adder, key, address string) {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		add(key, "%q is no address to listen on: write HOST:PORT such as 127.0.0.1:8470", address)
	}
}
