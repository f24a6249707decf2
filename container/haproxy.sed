# docs/examples/haproxy.cfg for the two nodes of compose.yaml
s/192\.0\.2\.2\([12]\):8443/127.0.0.1:845\1 port 808\1/
s/192\.0\.2\.2\([12]\):8080/127.0.0.1:808\1 port 808\1/
s/:443,:::443/:8450/
s/:8080,:::8080/:8090/
s/api\.example\.com/localhost/
s|@system-ca|/etc/portaria/certs/server-ca.crt|
