import { mutationsOf } from './mutation.ts'

export const DELIVERY_MUTATIONS = [
  ...mutationsOf(
    'delivery/outcome.ts',
    ['delivery/outcome.test.ts'],
    [
      [
        'deliveries are used up while their destination is down',
        'if (isGone(result) || isCircuitOpen) {',
        'if (isGone(result)) {',
      ],
      [
        'a delivery is tried for ever',
        'const retriesUsed = delivery.retriesUsed + 1',
        'const retriesUsed = delivery.retriesUsed',
      ],
      [
        'a delivery that is just old enough is given up',
        'if (now - delivery.agesFrom <= policy.maxAgeMs) return null',
        'if (now - delivery.agesFrom < policy.maxAgeMs) return null',
      ],
      [
        'an attempt that the gateway broke off uses a step',
        'at: startedAt + durationMs, retriesUsed: delivery.retriesUsed }',
        'at: startedAt + durationMs, retriesUsed: delivery.retriesUsed + 1 }',
      ],
      [
        'a destination that is gone is tried until nothing is left',
        'return result.status === 410',
        'return result.status === 404',
      ],
      [
        'an answer of 500 counts as delivered',
        'if (error === null) return',
        'if (error === null || status !== null) return',
      ],
      [
        'with a wrong clock everything is too old',
        'isClockPlausible?.() === false ? Number.POSITIVE_INFINITY : policy.maxAgeMs',
        'policy.maxAgeMs',
      ],
      ["a destination's own schedule has no effect", 'destination.schedule ?? policy.schedule', 'policy.schedule'],
      ['Retry-After has no effect', 'retryAfterMs: retryAfterMs(result, policy),', 'retryAfterMs: 0,'],
    ],
  ),
  ...mutationsOf(
    'delivery/attempt-failures.ts',
    ['delivery/send-answers.test.ts'],
    [
      [
        'a redirect counts as delivered',
        'if (status >= 200 && status < 300) return null',
        'if (status >= 200 && status < 400) return null',
      ],
      ['the password of a redirect is shown', "  target.username = target.password = ''\n", ''],
      [
        'a failed handshake is repeated at once',
        "if (error instanceof ConnectFailure && error.stage !== 'connection') return false",
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/send.ts',
    ['delivery/send-answers.test.ts', 'delivery/send.test.ts'],
    [
      [
        'a delivery whose answer has begun is sent again at once',
        '!progress.hasAnswerBegun && isBrokenConnection(error)',
        'isBrokenConnection(error)',
      ],
      ['a try begins at the time limit', ' && performance.now() + retryDelay < deadline', ''],
      ['a dead destination is tried many times within an attempt', 'retries: 2,', 'retries: 9,'],
      [
        'a destination that is not there any more gets a failed attempt',
        'if (signal.aborted || isGivenUpHere(error)) return aborted()',
        'if (signal.aborted) return aborted()',
      ],
      [
        "an answer that repeats the destination's secrets is stored with them",
        'answer: withoutSecrets(answer.body, destination)',
        'answer: answer.body',
      ],
      ['the signature is that of other bytes than those sent', 'body: formatted.body }', 'body: delivery.body }'],
      ['an aborted attempt is sent nevertheless', '      if (signal.aborted) return aborted()\n      let', '      let'],
      ['Retry-After is not heard', 'retryAfter: answer.retryAfter,', 'retryAfter: undefined,'],
    ],
  ),
  ...mutationsOf(
    'delivery/exchange.ts',
    ['delivery/send-answers.test.ts', 'delivery/send.test.ts', 'delivery/leases.test.ts'],
    [
      ['two nodes send the same delivery', 'if (this.#limits.mayBegin?.() === false) return new MayNotBegin()', ''],
      [
        'an endless answer is read for ever',
        "if (this.#bodyLength >= ANSWER_READ_LIMIT) this.#cut(new Error('the answer was cut off'))",
        '',
      ],
      ['large answers are stored whole', 'chunk.subarray(0, ANSWER_KEPT - this.#body.length)', 'chunk'],
      [
        'a slow answer holds its place up to the time limit',
        'this.deadline = Math.min(this.deadline, performance.now() + this.#limits.answerLimitMs)',
        '',
      ],
      ['100 Continue counts as the answer', 'if (status < 200 || this.#hasEnded) return', 'if (this.#hasEnded) return'],
      [
        'an attempt has no time limit',
        'this.#cut(this.#status === 0 ? new TimeLimitReached()',
        'if (this.#status !== 0) this.#cut(this.#status === 0 ? new TimeLimitReached()',
      ],
      [
        'a request that may have arrived counts as not sent',
        'if (reason === null) this.#limits.progress.hasBegun = true',
        'if (reason === null) this.#limits.progress.hasBegun = false',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/connections.ts',
    ['delivery/connections.test.ts', 'delivery/send.test.ts'],
    [
      [
        'a destination gets more connections than it allows',
        'const client = free.pop() ?? (all.size < limit ? create() : undefined)\n      if (client === undefined) waiting.push(user)',
        'const client = free.pop() ?? create()\n      if (client === undefined) waiting.push(user)',
      ],
      ['a broken connection is used again', 'else if (isReusable && all.has(client))', 'else if (all.has(client))'],
      ['requests that wait for a connection wait for ever', 'if (waiting.length > 0 || isClosed) startWaiting()', ''],
      [
        'each request has a new connection',
        'else if (isReusable && all.has(client)) free.push(client)\n      else',
        'else',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/guarded-connect.ts',
    ['delivery/guarded-connect.test.ts'],
    [
      [
        'destinations may reach into the private network',
        "if (reason !== null) throw new PortariaError('address_forbidden', forbiddenAddressText(host, address, reason))",
        '',
      ],
      [
        'deliveries go over plain HTTP where it is forbidden',
        "if (protocol !== 'https:' && !guard.rules.allowsPlainHttp(address)) {",
        "if (protocol === 'http+unix:') {",
      ],
      [
        'a name with one public address may also have a private one',
        'for (const address of addresses) {\n    const reason',
        'for (const address of addresses.slice(0, 1)) {\n    const reason',
      ],
      ["a destination's certificate is not verified", 'rejectUnauthorized: true,', 'rejectUnauthorized: false,'],
      [
        'a silent address takes the time of all others',
        'remainingMs(limits.deadline) / (addresses.length - index)',
        'remainingMs(limits.deadline)',
        'a test would need an address of this machine that neither takes nor refuses a connection',
      ],
      ['a destination behind SNI shows another certificate', '    ...(isName && { servername: host }),\n', ''],
      [
        'the limit of a handshake has no effect',
        'timeoutMs: remainingMs(limits.deadline),\n    timedOut,',
        'timeoutMs: 3_600_000,\n    timedOut,',
      ],
      [
        'a failed handshake leaves its connection open',
        '    socket.destroy()\n    throw error instanceof ConnectFailure',
        '    throw error instanceof ConnectFailure',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/name-resolver.ts',
    ['delivery/name-resolver.test.ts'],
    [
      ['a name that is silent is taken for another one', '      if (isSilence(failure)) break\n', ''],
      [
        'an answer is kept for days',
        'Math.min(KEPT_MS.max, Math.max(KEPT_MS.min, ttlMs))',
        'Math.max(KEPT_MS.min, ttlMs)',
      ],
      ['look-ups have no limit', 'if (underWay.size >= maxUnderWay) throw', 'if (underWay === null) throw'],
    ],
  ),
  ...mutationsOf(
    'delivery/signature.ts',
    ['delivery/signature.test.ts'],
    [
      ['the time is not signed: a copy can be replayed', 'update(`${id}.${timestampSeconds}.`)', 'update(`${id}..`)'],
      ['two signatures look like one', ".join(' ')", ".join(',')"],
      ['the body is not signed', '.update(body)', ''],
    ],
  ),
  ...mutationsOf(
    'delivery/request-headers.ts',
    ['delivery/send.test.ts', 'delivery/format.test.ts'],
    [
      ['a receiver cannot tell that two events came in one callback', 'if (event.parts > 1)', 'if (event.parts > 2)'],
      [
        'a receiver takes sandbox for production',
        "  add('portaria-environment', environmentOf(event.environment))\n",
        '',
      ],
      [
        'a configured header replaces one of ours',
        'if (isExtraHeaderAllowed(name)) add(name, value)',
        'add(name, value)',
      ],
      ['a replay looks like a new event', "  if (delivery.isReplay) add('portaria-replay', 'true')\n", ''],
      ['each attempt says that it is another', 'String(delivery.attempt)', 'String(delivery.attempt + 1)'],
      [
        'the id differs at each attempt, so duplicates are not recognised',
        "add('webhook-id', event.id)",
        "add('webhook-id', `${event.id}${delivery.attempt}`)",
      ],
      [
        'a secret that has left still signs',
        'signingSecrets(destination, sending.now)',
        'signingSecrets(destination, 0)',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/claims-window.ts',
    ['delivery/claims-window.test.ts'],
    [
      [
        'a delivery that is claimed again is sent twice at once',
        'if (this.#attempts.get(deliveryId) === attempt) this.#attempts.delete(deliveryId)',
        'this.#attempts.delete(deliveryId)',
      ],
      [
        'released deliveries are never claimed again',
        '    for (const delivery of deliveries) this.forget(delivery)\n',
        '',
      ],
      ['ready deliveries have no limit of memory', '    this.#readyBytes += ready.delivery.body.length\n', ''],
      [
        'deliveries that came during a claim wait until their lease ends',
        '    this.#ready.push(...(this.#behindClaim ?? []))\n',
        '',
      ],
      [
        'each claim is a commit for a few deliveries',
        'if (this.#waiting > prefetched / 2 || this.#readyBytes > READY_BYTES) return 0\n    return Math.max(0, concurrency + prefetched',
        'return Math.max(0, concurrency + prefetched',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/outcome-batcher.ts',
    ['delivery/outcome-batcher.test.ts', 'delivery/dispatcher.test.ts'],
    [
      [
        'an outcome that the disk did not take is forgotten',
        'const batch = waiting.slice(0, BATCH)',
        'const batch = waiting.splice(0, BATCH)',
      ],
      [
        'an outcome counts as recorded before it is on disk',
        'await store.recordAttempts(',
        'void store.recordAttempts(',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/circuit.ts',
    ['delivery/circuit.test.ts'],
    [
      ['a circuit opens one failure late', 'if (failed.size >= policy.failures)', 'if (failed.size > policy.failures)'],
      ['an answer of 500 is no failure of the destination', 'result.status >= 500', 'result.status > 500'],
      [
        'failures that are not in a row open the circuit',
        '    succeeded() {\n      failed.clear()\n',
        '    succeeded() {\n',
      ],
      ['an open circuit is opened again', '      if (openedAt !== null) return\n', ''],
    ],
  ),
  ...mutationsOf(
    'delivery/probes.ts',
    ['delivery/probes.test.ts'],
    [
      ['a Retry-After makes a probe earlier', 'set(Math.max(ms, waitMs()))', 'set(ms)'],
      [
        'a clock that is set back delays the probe',
        'return now() < setAt ? 0 : Math.max(0, next - now())',
        'return Math.max(0, next - now())',
      ],
      ['one bad delivery keeps the circuit open', '      isUntriedNext = !isUntriedNext\n', ''],
    ],
  ),
  ...mutationsOf(
    'delivery/claim-rates.ts',
    ['delivery/claim-rates.test.ts'],
    [
      ['the rate limit of a destination has no effect', '      rate.take(deliveries.length)\n', ''],
      ['the backlog comes at full speed', '      backlogRate.take(fromBacklog)\n', ''],
    ],
  ),
  ...mutationsOf(
    'delivery/token-bucket.ts',
    ['delivery/token-bucket.test.ts'],
    [
      [
        'after a long rest a destination is flooded',
        'Math.min(capacity, tokens + Math.max(0, at - filledAt) * rate)',
        'tokens + Math.max(0, at - filledAt) * rate',
      ],
      ['a clock that is set back stops deliveries', 'Math.max(0, at - filledAt)', '(at - filledAt)'],
    ],
  ),
  ...mutationsOf(
    'delivery/wake-timer.ts',
    ['delivery/wake-timer.test.ts'],
    [['an earlier wake-up is ignored', 'next.due <= due)) return', 'next.due >= due)) return']],
  ),
  ...mutationsOf(
    'delivery/destination-worker.ts',
    ['delivery/dispatcher.test.ts'],
    [
      [
        'a destination that answers 410 is not paused',
        "    if (isGone(result)) onPause(this.#destination, forwardingText('gone'))\n",
        '',
      ],
      ['retries are never made', 'if (claim.nextDueAt !== null) this.#timer.wakeAt(claim.nextDueAt)', ''],
      [
        'after a failed claim nothing is sent any more',
        "'delivery.not_claimed')\n      this.#timer.wakeAt(now() + CLAIM_RETRY_MS)",
        "'delivery.not_claimed')",
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/destination-worker.ts',
    ['delivery/destination-changes.test.ts'],
    [
      [
        'a paused destination gets what was claimed',
        "if (next.state !== 'active' || next.order !== before.order) this.#releaseReady()",
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/destination-worker.ts',
    ['delivery/leases.test.ts'],
    [
      [
        'an attempt that may have arrived is not recorded',
        'else if (result.hasBegun) this.#record(delivery, interrupted(delivery, result))\n',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/destination-worker.ts',
    ['delivery/forwarding-outages.test.ts'],
    [
      [
        'behind an open circuit everything that was claimed is sent',
        'if (isOpen) this.#releaseReady()\n    else',
        'if (!isOpen)',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/destination-worker.ts',
    ['delivery/forwarding-order.test.ts'],
    [
      [
        'the next delivery of a subject waits for the next look',
        "this.#destination.order === 'subject' && state !== 'pending'",
        'state === null',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/dispatcher.ts',
    ['delivery/destination-changes.test.ts', 'delivery/handed.test.ts'],
    [
      ['deliveries of a removed destination wait for ever', '    await cancelAll(destination, options)\n', ''],
      [
        'a delivery for a destination that has gone waits until its lease ends',
        'else releaseClaim(ready.delivery)',
        '',
      ],
      [
        'a paused destination that was removed is not settled',
        "return state === 'active' || state === 'paused'",
        "return state === 'active'",
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/destination-health.ts',
    ['delivery/destination-health.test.ts'],
    [
      ['the database shows a circuit that is long closed', '      if (!isRecorded) record()\n', ''],
      ['a 410 closes the circuit', 'else if (!isGone(result)) circuit.succeeded()', 'else circuit.succeeded()'],
    ],
  ),
  ...mutationsOf(
    'delivery/format.ts',
    ['delivery/format.test.ts'],
    [
      [
        'amounts are written in another way: 150.10 as 150.1',
        'if (isJson(body)) return body',
        'if (isJson(body)) return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString())))',
      ],
      [
        'an event that was not resolved looks resolved',
        "unresolved: event.source === 'unresolved'",
        'unresolved: false',
      ],
    ],
  ),
  ...mutationsOf(
    'delivery/in-flight.ts',
    ['delivery/in-flight.test.ts'],
    [
      ['only the first deadline is kept', '      if (all.has(one)) wakeAt(one.deadline)\n', ''],
      ['a stop does not end attempts', '      if (!heard.has(one.signal)) hear(one.signal)\n', ''],
    ],
  ),
  ...mutationsOf(
    'delivery/slot-offer.ts',
    ['delivery/slot-offer.test.ts'],
    [['the store hands over more than a worker can take', '      taken += slotsOfAll(deliveries)\n', '']],
  ),
]
