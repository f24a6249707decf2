import { mutationsOf } from './mutation.ts'

export const TLS_MUTATIONS = [
  ...mutationsOf(
    'tls/connection-limiter.ts',
    ['tls/connection-limiter.test.ts'],
    [
      [
        'an authenticated caller whose idle connection is closed is reported as refused',
        'if (!isAuthenticated) onRefused(accepted, refusal)',
        'onRefused(accepted, refusal)',
      ],
      ['a connection whose header was read has two places', 'if (known !== undefined) remove(known)', ''],
      [
        'a place never becomes free again',
        "      connections.add(connection)\n      socket.once('close', () => remove(connection))",
        '      connections.add(connection)',
      ],
      [
        'the place of a connection whose header is read never becomes free',
        "unread.set(socket, connection)\n      socket.once('close', () => remove(connection))",
        'unread.set(socket, connection)',
      ],
      [
        'a connection whose caller is unread has the share of the load balancer',
        'connections.shareOf(`${networkOf(addressOf(socket))} without a PROXY protocol header`)',
        'connections.shareOf(networkOf(addressOf(socket)))',
        'an unread connection is in no group of connections, so its share is never counted',
      ],
      [
        'a connection that has no room stays open',
        '      onRefused(socket, refusal)\n      socket.destroy()',
        '      onRefused(socket, refusal)',
      ],
      [
        'callers that have authenticated count as untrusted',
        'if (connection !== undefined && !connection.isAuthenticated) connections.authenticated(connection)',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/making-room.ts',
    ['tls/connection-limiter.test.ts'],
    [
      ['an address may have one connection too many', 'if (sizeOf(share) >= limit) {', 'if (sizeOf(share) > limit) {'],
      [
        'untrusted callers may take every place',
        'if (all.unauthenticated.size >= places / 2) {',
        'if (all.unauthenticated.size >= places) {',
      ],
      [
        'connections have no limit',
        'if (!isFull()) return null\n    return closeForPlace',
        'if (!isFull() || places > 0) return null\n    return closeForPlace',
      ],
      [
        'a connection in the middle of a request is closed',
        'if (isLonger && isIdle(connection, idle)) longest = connection',
        'if (isLonger) longest = connection',
      ],
      [
        'the connection that was used last gives way',
        'connection.activeAt < longest.activeAt',
        'connection.activeAt > longest.activeAt',
      ],
      [
        'a flood from one address drives out the others',
        'if (closing !== undefined && isFlooding(share, closing)) return tooManyAtOnce(share)',
        '',
      ],
      [
        'connections without a header may take too many places',
        'if (unread.size >= most) return closeForPlace(firstOf(unread))',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/open-connections.ts',
    ['tls/open-connections.test.ts', 'tls/connection-limiter.test.ts'],
    [
      [
        'a connection that is closed late takes the share of a newer one',
        ' && shares.get(share.network) === share',
        '',
      ],
      ['an address has no share: its limit has no effect', '      shares.set(share.network, share)\n', ''],
      [
        'an authenticated caller stays among the untrusted ones',
        'if (group.unauthenticated.delete(connection)) group.authenticated.add(connection)',
        'group.authenticated.add(connection)',
      ],
      ['a closed authenticated connection keeps its place', '        group.authenticated.delete(connection)\n', ''],
    ],
  ),
  ...mutationsOf(
    'tls/broken-requests.ts',
    ['tls/broken-requests.test.ts'],
    [
      [
        'a broken request is answered before the good one in front of it',
        'else if (latest.req.complete) onceClosed(latest, refuse)',
        'else if (latest.req.complete) refuse()',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/half-close.ts',
    ['gateway/receiving/half-closed-callers.process.test.ts'],
    [
      [
        'a caller over plain HTTP that ends its side gets no answer',
        'httpAllowHalfOpen: true',
        'httpAllowHalfOpen: false',
      ],
      [
        'a caller over TLS that ends its side gets no answer',
        'socket.allowHalfOpen = true',
        'socket.allowHalfOpen = false',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/message-flaw.ts',
    ['gateway/receiving/malformed-requests.process.test.ts'],
    [
      [
        'two Host headers: a proxy may see another request',
        "if (host !== null) return 'more than one Host header'",
        '',
      ],
      ['a request without Host is taken', "return httpVersion === '1.1' ? 'no Host header' : null", 'return null'],
    ],
  ),
  ...mutationsOf(
    'tls/pipelining.ts',
    ['tls/pipelining.test.ts', 'tls/proxied-connections.test.ts'],
    [
      [
        'bytes between two slices are lost',
        'for (let from = 0; from < chunk.length; from += SLICE_BYTES)',
        'for (let from = 0; from < chunk.length; from += SLICE_BYTES + 1)',
      ],
      [
        'the first bytes behind a PROXY header are lost',
        'for (let to = bytes.length; to > 0; to -= SLICE_BYTES)',
        'for (let to = bytes.length; to > SLICE_BYTES; to -= SLICE_BYTES)',
      ],
      [
        'slices are put back in the wrong order',
        'bytes.subarray(Math.max(0, to - SLICE_BYTES), to)',
        'bytes.subarray(bytes.length - to, bytes.length - Math.max(0, to - SLICE_BYTES))',
      ],
      [
        'while new callers wait, a turn serves as many requests as ever',
        'left = hasAccepted ? 1 : SERVED_AT_ONCE',
        'left = SERVED_AT_ONCE',
      ],
      [
        'a connection stalls behind the requests that waited',
        'if (left === 0 && !socket.writableNeedDrain) resume(socket)',
        '',
      ],
      ['many urgent requests keep all others waiting', '    wasUrgent = !wasUrgent\n', '    wasUrgent = true\n'],
      ['a turn has no limit of time', '        spentMs += now() - beganAt\n        goOn()', '        goOn()'],
      ['a turn has no limit of requests', 'return left > 0 && spentMs < TURN_MS', 'return spentMs < TURN_MS'],
    ],
  ),
  ...mutationsOf(
    'tls/proxied-connections.ts',
    ['tls/proxied-connections.test.ts'],
    [
      [
        'every caller has the address of the load balancer',
        'if (header.end !== null) setRemoteEnd(socket, header.end)',
        '',
      ],
      [
        'TLS reads the PROXY header as its own',
        'putBack(socket, bytes.subarray(header.length))',
        'putBack(socket, bytes)',
      ],
      ['a header in two pieces is not read', 'bytes = Buffer.concat([bytes, chunk])', 'bytes = chunk'],
      [
        'a connection that only looks whether the port is open is reported',
        'if (bytes.length > 0) refuse(BROKEN_OFF)',
        'if (bytes.length >= 0) refuse(BROKEN_OFF)',
      ],
      [
        'a refused connection stays open',
        '    options.onRefused(socket, refusal)\n    socket.destroy()',
        '    options.onRefused(socket, refusal)',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/proxy-header.ts',
    ['tls/proxy-header.test.ts'],
    [
      [
        'a line that is too long is waited for',
        'return bytes.length < LINE_BYTES ? null : invalid',
        'return bytes.length <= LINE_BYTES ? null : invalid',
      ],
      [
        'a header of the greatest length is refused',
        'if (variable > VARIABLE_BYTES)',
        'if (variable >= VARIABLE_BYTES)',
      ],
      ['the greatest port is refused', 'Number(text) <= 65_535', 'Number(text) < 65_535'],
      [
        'unknown commands are taken',
        'if (!isLocal && versionAndCommand !== 0x21)',
        'if (versionAndCommand >> 4 !== 2)',
      ],
      ['ports are read behind the end of the header', 'variable < 2 * addressBytes + 4', 'variable < 2 * addressBytes'],
      ['an address with a zone is taken', "isIPv6(text) && !text.includes('%')", 'isIPv6(text)'],
      [
        'a caller has the port of its target',
        'bytes.readUInt16BE(FIXED_BYTES + 2 * addressBytes)',
        'bytes.readUInt16BE(FIXED_BYTES + 2 * addressBytes + 2)',
      ],
      ['a caller has two addresses, and two limits', 'ipaddr.process(address).toString()', 'address'],
      [
        "a health check of the load balancer has somebody's address",
        'const addressBytes = isLocal ? undefined : ADDRESS_BYTES[kind]',
        'const addressBytes = ADDRESS_BYTES[kind]',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/remote-address.ts',
    ['tls/connection-limiter.test.ts', 'tls/proxied-connections.test.ts'],
    [['a customer with an IPv6 network has a limit for each address', '.parts.slice(0, 4)', '.parts.slice(0, 8)']],
  ),
  ...mutationsOf(
    'tls/remote-address.ts',
    ['gateway/receiving/proxy-protocol.process.test.ts'],
    [
      [
        'over TLS every caller has the address of the load balancer',
        '(below ? stated.get(below) : undefined) ?? end',
        'end',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/server-options.ts',
    ['gateway/receiving/slow-callers.process.test.ts'],
    [
      [
        'a caller that is slow in its headers keeps its place',
        'headersTimeout: limits.headersTimeoutMs',
        'headersTimeout: limits.requestTimeoutMs',
      ],
      [
        'limits of time are looked at once in half a minute',
        'connectionsCheckingInterval: 1000',
        'connectionsCheckingInterval: 30_000',
      ],
      [
        'a caller between two requests keeps its place',
        'keepAliveTimeout: limits.keepAliveTimeoutMs',
        'keepAliveTimeout: 60_000',
      ],
    ],
  ),
  ...mutationsOf(
    'tls/server-tls-options.ts',
    ['gateway/receiving/tls-of-listeners.test.ts', 'gateway/receiving/first-way.test.ts'],
    [
      [
        'ciphers without authenticated encryption are spoken',
        "  'ECDHE-RSA-AES128-GCM-SHA256',\n",
        "  'ECDHE-RSA-AES128-GCM-SHA256',\n  'ECDHE-RSA-AES128-SHA256',\n",
      ],
      [
        'a stalled handshake keeps its place for two minutes',
        'handshakeTimeout: handshakeTimeoutMs,',
        'handshakeTimeout: 120_000,',
      ],
      ['callers without a certificate are let in', 'requestCert: true,', 'requestCert: false,'],
      [
        'a caller without a certificate is disconnected only behind the handshake',
        'rejectUnauthorized: true,',
        'rejectUnauthorized: false,',
      ],
      [
        'callers with a certificate of any public root are let in where no chain is installed',
        "  if (authorities.length === 0) throw new Error('a listener that requires client certificates needs an authority')\n",
        '',
      ],
      ['TLS 1.3 is not spoken', "maxVersion: 'TLSv1.3'", "maxVersion: 'TLSv1.2'"],
      [
        'TLS 1.1 is spoken',
        "minVersion: 'TLSv1.2'",
        "minVersion: 'TLSv1.1'",
        'no cipher of the list exists below TLS 1.2, so OpenSSL refuses the version anyway',
      ],
      ['callers may renegotiate', 'constants.SSL_OP_NO_RENEGOTIATION | ', ''],
      ['session tickets are given out', ' | constants.SSL_OP_NO_TICKET', ''],
    ],
  ),
  ...mutationsOf(
    'tls/server-tls-options.ts',
    ['gateway/receiving/odd-keys.process.test.ts'],
    [["a caller's key on an odd curve ends the process", '    sigalgs: SIGNATURE_ALGORITHMS,\n', '']],
  ),
]
