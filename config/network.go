package config

import (
	"net"
	"net/url"
	"strconv"
)

// checkURL does not repeat the value: it may hold a password. A value without a
// scheme passes; the first call to it fails and says so.
func checkURL(add adder, key, value string) {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "") {
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
