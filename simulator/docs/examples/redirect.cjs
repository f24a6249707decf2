// Leads the service's host names to a simulator on this machine, for programs whose base addresses cannot be changed.
// Only the address and the port 443 of a connection change: TLS server name, Host header and certificate check stay those of the name.
//   SIMULATOR_HOSTS=bills.example.com=9443,charges.example.com=9443 NODE_EXTRA_CA_CERTS=data/simulator/server-ca.crt \
//     node --require ./redirect.cjs program.js
const { Socket } = require('node:net')

const hosts = (process.env.SIMULATOR_HOSTS ?? '').split(',').map((entry) => /^([^=]+)=(\d+)$/.exec(entry.trim()))
if (hosts.includes(null))
  throw new Error('set SIMULATOR_HOSTS to host names with a port of the simulator: name=9443,name=9444')
const ports = new Map(hosts.map(([, name, port]) => [name.toLowerCase(), Number(port)]))

const { connect } = Socket.prototype
Socket.prototype.connect = function connectToSimulator(given, ...rest) {
  // Node's own modules give an array that has the options first.
  const options = Array.isArray(given) ? given[0] : given
  const port = Number(options?.port) === 443 ? ports.get(String(options.host).toLowerCase()) : undefined
  if (port === undefined) return connect.call(this, given, ...rest)
  const led = { ...options, host: '127.0.0.1', port }
  return connect.call(this, Array.isArray(given) ? Object.assign(given, [led]) : led, ...rest)
}
