import { mutationsOf } from './mutation.ts'

export const RECEIVING_MUTATIONS = [
  ...mutationsOf(
    'receiving/callback-handler.ts',
    ['receiving/callback-handler.test.ts'],
    [
      [
        'a callback is acknowledged before it is on disk',
        'const stored = await options.storeCallback(callback)',
        "answer(response, 200, '200')\n      const stored = await options.storeCallback(callback)",
      ],
      [
        'a callback that could not be stored is acknowledged',
        "answer(response, 503, 'not stored, try again later', { 'retry-after': '5' })",
        "answer(response, 200, '200')",
      ],
      [
        'the service is not told when to send a refused callback again',
        "'not stored, try again later', { 'retry-after': '5' }",
        "'not stored, try again later', {}",
      ],
      ['what the disk has no room for is written', 'if (!options.admits(read.body.length)) {', 'if (read === null) {'],
      ['a compressed body is kept, and nothing can read it', 'if (isEncoded(request)) {', 'if (request === null) {'],
      ['a body over the limit looks like a bad request', 'answer(response, 413, `', 'answer(response, 400, `'],
      [
        'a stored callback is not published: no dispatcher is woken for it',
        'options.onStored(stored, callback)',
        'options.refusals.own.has({})',
      ],
      [
        'a callback says that it has another content type',
        "contentType: request.headers['content-type'] ?? null",
        "contentType: 'application/json'",
      ],
      ['charge tokens are not asked for', 'options.resolvesTokens?.(caller.environment) === true', 'false'],
      ['the probe of the service is shown as a refused caller', 'options.refusals.markProbe(remoteAddress)', ''],
    ],
  ),
  ...mutationsOf(
    'receiving/request-body.ts',
    ['receiving/request-body.test.ts'],
    [
      [
        'a body of exactly the limit is refused',
        "if (size > limitBytes) settle('too large')",
        "if (size >= limitBytes) settle('too large')",
      ],
      ['the memory of each body counts for ever, until none is taken', '    account.close()\n', ''],
      ['bodies in memory have no limit together', 'account.add(chunk.length)', 'account.add(0)'],
      ['a broken off body keeps its memory', "request.on('close', () => settle('aborted'))", ''],
      [
        'a body that comes in small pieces loses bytes',
        'if (this.#used + chunk.length > BLOCK_BYTES) this.#endBlock()',
        '',
      ],
      ['a body in pieces ends with bytes of other requests', 'this.#block.subarray(0, this.#used)', 'this.#block'],
      [
        'the last small pieces of a body are lost',
        'this.#endBlock()\n    return Buffer.concat',
        'return Buffer.concat',
      ],
      [
        'the pieces of a body are in another order',
        '    this.#endBlock()\n    this.#pieces.push(chunk)',
        '    this.#pieces.push(chunk)',
      ],
      [
        'a caller that never stops sending is read for ever',
        'if (size > limitBytes * DRAIN_FACTOR) request.socket.destroy()',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/relevant-headers.ts',
    ['receiving/relevant-headers.test.ts'],
    [
      ["a caller's credentials are stored", "new Set([\n  'authorization',", 'new Set(['],
      ['cookies are stored', "  'cookie',\n", ''],
      [
        'a loop of two gateways is not noticed',
        'name === WHOLE ? value : value.slice(0, MAX_VALUE)',
        'value.slice(0, MAX_VALUE)',
      ],
      [
        'a callback is stored with the headers of the one before it',
        '  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false\n',
        '',
      ],
      ['long headers fill the database', 'value.slice(0, MAX_VALUE)', 'value'],
    ],
  ),
  ...mutationsOf(
    'receiving/path-tokens.ts',
    ['receiving/path-tokens.test.ts'],
    [
      ['every token is right', 'timingSafeEqual(digest, sha256(token)) ?', 'token !== null ?'],
      [
        'a path that only begins like ours is ours',
        'if (path !== base && !path.startsWith(`${base}/`)) return null',
        'if (!path.startsWith(base)) return null',
      ],
      ['with several tokens only the last is right', 'if (read === null || found !== null) read =', 'read ='],
      ['tokens are written to the log', 'token.slice(0, SHOWN_CHARACTERS)', 'token'],
      ['what follows a token is ignored', 'hasRest: rest.length > 0, shown', 'hasRest: false, shown'],
      ['the first of several query parameters counts', '.findLast(', '.find('],
      ['a suffix is part of the token', "suffixes.find((one) => text.endsWith(one)) ?? ''", "''"],
    ],
  ),
  ...mutationsOf(
    'receiving/charge-listener.ts',
    ['gateway/receiving/charge-listener.test.ts'],
    [
      [
        'a callback behind a known token at a wrong path is taken',
        'presented.found === null || presented.hasRest',
        'presented.found === null',
      ],
      [
        'a charge callback looks as if it had come over mutual TLS',
        "authentication: 'path-token'",
        "authentication: 'mutual-tls'",
      ],
      ['a GET is stored as a callback', "if (request.method !== 'POST') {", 'if (request === null) {'],
      ['a 405 does not say what is allowed', "{ allow: 'POST' }", '{}'],
      ['who may call is not told apart in the log', "isMissing ? 'unknown_path' : 'unknown_token'", "'unknown_path'"],
    ],
  ),
  ...mutationsOf(
    'receiving/listener.ts',
    ['gateway/receiving/charge-listener.test.ts'],
    [
      [
        'addresses that are not allowed may call',
        'options.isAddressAllowed?.(addressOf(socket)) === false',
        'options.isAddressAllowed === null',
      ],
      ['a refused address is not reported', "options.onRefused(socket, () => ({ code: 'address_not_allowed' }))", ''],
    ],
  ),
  ...mutationsOf(
    'receiving/callback-app.ts',
    ['gateway/receiving/first-way.test.ts', 'gateway/receiving/malformed-requests.process.test.ts'],
    [
      [
        'a request that HTTP forbids is read as a callback',
        'if (flaw === null) return false',
        'if (flaw !== undefined) return false',
      ],
      [
        'a GET is stored as a callback',
        "request.method === 'POST' ? matchRoute(caller.environment, request.url) : null",
        'matchRoute(caller.environment, request.url)',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/callback-app.ts',
    ['gateway/receiving/denied-callers.process.test.ts'],
    [
      [
        'a certificate that expires is accepted as long as its connection lasts',
        'if (!hasExpired(caller)) return caller',
        'if (caller !== null) return caller',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/callback-listener.ts',
    ['gateway/certificates/reload-trust.process.test.ts'],
    [
      [
        'callers of a chain that joins are refused until a restart',
        '      renewTls({ serverCertificate, trust: next })\n',
        '',
      ],
      [
        'callers of a chain that left are identified, and those of a new one are not',
        '      peers = createPeerIdentification(next, options.now)\n',
        '',
      ],
      ['connections of a chain that left stay open', 'return closeUntrusted()', 'return 0'],
      [
        'callbacks of a chain that moves are stamped with its earlier environment',
        'peers.environmentOf(caller.peer, waived.has(socket)) === caller.environment',
        'peers.environmentOf(caller.peer, waived.has(socket)) !== null',
      ],
      ['new chains bring an earlier server certificate back', '    serverCertificate = next.serverCertificate\n', ''],
      ['a new server certificate brings earlier chains back', '    trust = next.trust\n', ''],
    ],
  ),
  ...mutationsOf(
    'receiving/callback-listener.ts',
    ['gateway/receiving/denied-callers.process.test.ts'],
    [['what a caller sends that was not identified is read as HTTP', '    socket.destroy()\n  })\n', '  })\n']],
  ),
  ...mutationsOf(
    'receiving/callback-listener.ts',
    ['gateway/receiving/slow-callers.process.test.ts'],
    [
      [
        'identified callers in the middle of a request make room for untrusted ones',
        '      connections.authenticated(socket)\n',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/peer-identity.ts',
    ['receiving/peer-identity.test.ts'],
    [
      [
        'a caller that was identified once needs no valid revocation list any more',
        'found !== undefined && now() < found.until',
        'found !== undefined',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/peer-identity.ts',
    ['gateway/receiving/denied-callers.process.test.ts'],
    [
      [
        'each chain accepts certificates that are not for clients',
        'hasClientUse: !isUsageWaived',
        'hasClientUse: true',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/refusals.ts',
    ['receiving/refusals.test.ts'],
    [
      ['a scan from many addresses fills the disk', 'minute.recorded >= PER_MINUTE ||', ''],
      [
        'one address may have one refusal too many',
        'ofAddress >= PER_MINUTE_AND_ADDRESS',
        'ofAddress > PER_MINUTE_AND_ADDRESS',
      ],
      [
        'refusals that wait for the disk fill the memory',
        'if (waiting.length >= WAITING) countLost([refusal])',
        'if (waiting === null) countLost([refusal])',
      ],
      [
        'refusals that came during a commit are written only with the next',
        'if (waiting.length > 0 || probes.length > 0) writeSoon()',
        '',
      ],
      ['a probe is written again and again', '    waiting = []\n    probes = []', '    waiting = []'],
      [
        'a probe that could not be written is forgotten',
        'for (const { address } of batch.probes) remember(address)',
        '',
      ],
      ['each earlier refusal of an address is a probe', 'since: now() - PROBE_WINDOW_MS', 'since: 0'],
      ['what the store did not take is not counted', '        countLost(batch.refusals)\n', ''],
      [
        'identified callers share the limit of untrusted ones',
        'currentMinute(listener, isIdentified)',
        'currentMinute(listener)',
      ],
      ['refusals that wait are lost at a stop', '      await writing\n      await write()', '      await writing'],
      [
        'after a restart a probe from before is a refused caller',
        'recentlyWithoutCertificate(store, now())',
        'new Set<string>()',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/refusal-minutes.ts',
    ['receiving/refusals.test.ts'],
    [
      ['only the last left out refusal of a minute is counted', 'minute.leftOut += count', 'minute.leftOut = count'],
      ['the sum of a minute is lost when the next begins', 'if (known !== undefined) endMinute(known)', ''],
      ['a sum is reported twice', '    minute.leftOut = 0\n', ''],
    ],
  ),
  ...mutationsOf(
    'receiving/own-connections.ts',
    ['receiving/own-connections.test.ts'],
    [
      [
        'an announced port hides refusals for ever',
        'found !== undefined && now() < found.until ? found : undefined',
        'found',
      ],
      [
        'another program with the port of a command is not reported',
        'if (found.from !== null) announced.delete',
        'if (found.from === undefined) announced.delete',
      ],
      [
        'a second connection counts as the announced one',
        'found?.from === null && found.addresses.has(addressOf(end))',
        'found?.addresses.has(addressOf(end)) === true',
      ],
      ['announcements fill the memory', 'announced.size >= MOST && oldest', 'announced === null && oldest'],
      [
        'a caller elsewhere with the same port is not reported',
        'if (found === undefined || !found.addresses.has(address)) return',
        'if (found === undefined) return',
      ],
    ],
  ),
  ...mutationsOf(
    'receiving/stored-log.ts',
    ['receiving/stored-log.test.ts'],
    [
      ['sums of callbacks are reported twice', '    sums = noSums()\n  }', '  }'],
      [
        'queries with personal data are logged',
        "target: listener === 'charges' ? callback.target : undefined",
        'target: callback.target',
      ],
      [
        'what went to quarantine raises no warning',
        'if (quarantined !== undefined)\n    log.warn',
        'if (quarantined === null)\n    log.warn',
      ],
    ],
  ),
]
