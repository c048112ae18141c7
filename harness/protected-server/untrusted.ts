/**
 * A certificate for this host that no client trusts, with its key: a client that sends a request to a server
 * with this certificate violates TLS validation. The key is not secret, and protects nothing.
 */
export const untrusted = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgu075RVq0jrfFczny
Ny6Wy+xedhqKTdwBosAujR4hwx6hRANCAARcVlrYY5mi74EkUjr8uxVnsnPO+XPM
tdLy5m1Ja2GBXSzAYsBAmbdzS68FdkD0S49B82cVN4JT+9txuqjh2UyE
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBxjCCAWugAwIBAgIUEvnx1J74HHGwEfWgnnHoa8xZZu0wCgYIKoZIzj0EAwIw
KTEnMCUGA1UEAwwebWNwLWNvbmZvcm0sIHRydXN0ZWQgYnkgbm9ib2R5MCAXDTI2
MTEyMjA0MDIyOFoYDzIxMjYxMDI5MDQwMjI4WjApMScwJQYDVQQDDB5tY3AtY29u
Zm9ybSwgdHJ1c3RlZCBieSBub2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AARcVlrYY5mi74EkUjr8uxVnsnPO+XPMtdLy5m1Ja2GBXSzAYsBAmbdzS68FdkD0
S49B82cVN4JT+9txuqjh2UyEo28wbTAdBgNVHQ4EFgQUndCRnPrKbwKePoKvNarl
GQeRntMwHwYDVR0jBBgwFoAUndCRnPrKbwKePoKvNarlGQeRntMwDwYDVR0TAQH/
BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAKNWIpccINbLAns1e4Ys0F2wK8o6r5Lz8pFJR3gmHdlqAiEA61sA8BBX
wItjeckDf0V/vJcs5WhIom3iHjcWNgBnOk8=
-----END CERTIFICATE-----
`,
} as const;
