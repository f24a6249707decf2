// A receiver of callbacks that passes `portaria-simulator conformance`, with nothing but Node.js:
//   node receiver.mjs CERTIFICATE KEY CHAIN...
// Each CHAIN is a file of PEM that begins with an issuing certificate. Callbacks are appended to received.log, one in a line, before they are answered.
import { X509Certificate } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'

const [certificate, key, ...chains] = process.argv.slice(2)
if (chains.length === 0) {
  console.error('usage: node receiver.mjs CERTIFICATE KEY CHAIN...   (PORT=8443 in the environment is another port)')
  process.exit(2)
}
// A program that reads the log finds it from the start on.
appendFileSync('received.log', '')
const port = Number(process.env.PORT ?? 8443)
const ca = chains.map((file) => readFileSync(file))
// The first certificate of each file. Below the same root are other issuers, and their callers are not the service.
const issuers = ca.map((pem) => new X509Certificate(pem))
const seen = new Set()

function isFromTheService(socket) {
  const caller = new X509Certificate(socket.getPeerCertificate().raw)
  return issuers.some((issuer) => caller.verify(issuer.publicKey))
}

async function receive(request, response) {
  if (!isFromTheService(request.socket)) return response.writeHead(403).end()
  if (request.method !== 'POST') return response.writeHead(405).end()
  const body = Buffer.concat(await request.toArray()).toString()
  // The service repeats a callback until it is answered with 2xx.
  if (!seen.has(body)) appendFileSync('received.log', `${body}\n`, { flush: true })
  seen.add(body)
  response.end('200')
}

const options = {
  cert: readFileSync(certificate),
  key: readFileSync(key),
  ca,
  requestCert: true,
  minVersion: 'TLSv1.2',
}
createServer(options, (request, response) => receive(request, response).catch(() => request.destroy())).listen(
  port,
  () => console.log(`https://localhost:${port} takes callbacks at every path`),
)
