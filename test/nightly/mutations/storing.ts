import { mutationsOf } from './mutation.ts'

const CALLBACKS = ['store/sqlite/contract-callbacks.test.ts']
const QUARANTINE = ['store/sqlite/contract-readers.test.ts']
const TOKENS = ['store/sqlite/contract-tokens.test.ts']
const HAND_OVER = ['store/storing/hand-over.test.ts']

/** The rules of both stores, and SQLite's own. No test without a server notices a change of src/store/postgres/events/storing.ts: it has no row. */
export const STORING_MUTATIONS = [
  ...mutationsOf('store/storing/callback-writer.ts', CALLBACKS, [
    [
      'a repeated callback is forwarded again',
      'if (original !== null) {\n          rows.countDuplicate',
      'if (original === undefined) {\n          rows.countDuplicate',
    ],
    ['a duplicate is not counted', '          rows.countDuplicate(original, receivedAt)\n', ''],
    ['the mark of a callback is lost', 'if (mark !== null) stored.mark = mark', ''],
  ]),
  ...mutationsOf('store/storing/callback-writer.ts', QUARANTINE, [
    [
      'facts that fail their check are forwarded',
      '} else if (fact.quarantine !== undefined) {',
      '} else if (fact.quarantine === null) {',
    ],
    [
      'a redaction leaves repeated facts in a stored body',
      '      for (const fact of repeatedFacts) insertRepeat(callbackRow, environment, fact)\n',
      '',
    ],
    [
      'a released fact that is an event already becomes another one',
      'if (original !== null) {\n        rows.countDuplicates',
      'if (original === undefined) {\n        rows.countDuplicates',
    ],
    [
      'a released fact counts itself as a repeat',
      'rows.countDuplicates(position, seen - 1, lastSeenAt)',
      'rows.countDuplicates(position, seen, lastSeenAt)',
    ],
    ['a fact can be released again and again', '      quarantine.released(id, decision, position)\n', ''],
  ]),
  ...mutationsOf(
    'store/storing/callback-writer.ts',
    ['store/storing/callback-writer.test.ts'],
    [
      [
        'a callback that is stored unparsed is forwarded unchecked',
        'callback.facts.some(({ quarantine }) => quarantine !== undefined)',
        'false',
      ],
    ],
  ),
  ...mutationsOf(
    'store/storing/callback-writer.ts',
    ['store/sqlite/writer.test.ts'],
    [
      [
        'rolled back callbacks fill the table of hashes, until the writer hangs',
        '      deduplication.rolledBack()\n',
        '',
      ],
    ],
  ),
  ...mutationsOf('store/storing/callback-writer.ts', TOKENS, [
    [
      'a late callback of what the service was asked for is a second event',
      'return original === null && fact.quarantine === undefined ? reconciled.find(environment, fact) : original',
      'return original',
    ],
    [
      'a charge token is forwarded as it came',
      'if (callback.notificationToken !== undefined) return storeToken',
      'if (callback.notificationToken === null) return storeToken',
    ],
  ]),
  ...mutationsOf('store/storing/callback-writer.ts', HAND_OVER, [
    [
      'a delivery with one fact of several is sent with the bytes of all',
      'facts.length === 1 && facts[0]?.span === null ? slotsOf',
      'facts.length > 0 ? slotsOf',
    ],
  ]),
  ...mutationsOf('store/storing/event-writer.ts', CALLBACKS, [
    ['nothing is ever a duplicate', '    deduplication.add(factHash, position, receivedAt)\n', ''],
    [
      'a callback says nothing of its caller',
      'peer === null ? null : rows.peerId(peer, environment, receivedAt)',
      'null',
    ],
  ]),
  ...mutationsOf(
    'store/storing/event-writer.ts',
    ['store/sqlite/audit-chain.test.ts'],
    [
      ['after a rollback a position is left out', '      chain.rolledBack()\n', ''],
      [
        'each event proves the bytes of the whole callback',
        'payloadHashOf(bytesOfFact(callbackRow.body, span))',
        'payloadHashOf(callbackRow.body)',
      ],
    ],
  ),
  ...mutationsOf(
    'store/storing/event-writer.ts',
    ['store/sqlite/callback-blocks.test.ts'],
    [
      [
        'an event of several is named by its callback as the only one',
        'const isSingle = singleId === position',
        'const isSingle = true',
      ],
    ],
  ),
  ...mutationsOf('store/storing/event-writer.ts', HAND_OVER, [
    ['a rolled back callback uses slots for ever', '      handOver.rolledBack()\n', ''],
    ['a later rollback gives slots back that are used', '      handOver.committed()\n', ''],
  ]),
  ...mutationsOf(
    'store/storing/callback-reader.ts',
    ['store/storing/callback-reader.test.ts'],
    [
      [
        'a callback that cannot be read is forwarded unchecked',
        'unparsedInterpretation(kind, !unchecked.has(key))',
        'unparsedInterpretation(kind, false)',
      ],
      ['facts that are given are read again', "    if ('facts' in callback) return callback\n", ''],
    ],
  ),
  ...mutationsOf('store/storing/new-deliveries.ts', HAND_OVER, [
    [
      'a delivery overtakes the one before it of its subject',
      'const isBlocked = orderKey !== null && orderKeys.isTaken(destination.id, orderKey)',
      'const isBlocked = orderKey === undefined',
    ],
    ['a delivery is handed to a destination that is paused or dead', ' && isReachable(destination)', ''],
    ['the first wait of a schedule has no effect', ' && waitMs === 0 &&', ' &&'],
    ['a newer delivery overtakes one that waits for a claim', '    handOver.waits(destination.id)\n', ''],
    ['a delivery that waits is due at once', 'at, at + waitMs, orderKey)', 'at, at, orderKey)'],
    ['the lease of a delivery is over when it begins', 'const leaseUntil = at + leaseMs', 'const leaseUntil = at'],
  ]),
  ...mutationsOf('store/storing/new-deliveries.ts', CALLBACKS, [
    [
      'an event goes to destinations that did not ask for it',
      '      if (!isWanted(destination, event, route)) continue\n',
      '',
    ],
    ['an event knows only its first delivery', '      made.last = id\n', '      made.last ??= id\n'],
  ]),
  ...mutationsOf('store/storing/hand-over.ts', HAND_OVER, [
    [
      'one delivery more than the worker can take is handed over',
      'use.taken >= offer.taken + offer.count',
      'use.taken > offer.taken + offer.count',
    ],
    ['slots are never used up', '      use.taken += slots\n      return', '      return'],
    ['new deliveries overtake the backlog', 'known.use.isBehind = !isAll', 'known.use.isBehind = false'],
    [
      'a rolled back transaction keeps its slots',
      'Object.assign(use, committed)',
      'Object.assign(committed, committed)',
    ],
    [
      'slots of deliveries on their way are given out again',
      'if (count === 0 && !areOnTheirWay) offers.delete',
      'if (count === 0) offers.delete',
    ],
    [
      'slots of a claim are given out again',
      '      known.use.taken += slots\n      known.use.isBehind',
      '      known.use.isBehind',
    ],
  ]),
  ...mutationsOf(
    'store/storing/order-key.ts',
    ['store/sqlite/contract-destinations.test.ts', 'store/storing/hand-over.test.ts'],
    [
      [
        'an event waits for another one of its subject in the other environment',
        'subjectHash(`${environment} ${subject}`)',
        'subjectHash(subject)',
      ],
    ],
  ),
  ...mutationsOf(
    'store/storing/peers.ts',
    ['store/storing/peers.test.ts'],
    [
      [
        'a caller that is rolled back is referred to by later callbacks',
        'for (const fingerprint of touched.splice(0)) known.delete(fingerprint)',
        'touched.length = 0',
      ],
    ],
  ),
  ...mutationsOf('store/storing/peers.ts', CALLBACKS, [
    ['a caller is shown in the environment that it had before', 'found.environment === environment && ', ''],
    ['a caller was last seen at its first call', ' && seenAt - found.seenAt < SEEN_STEP_MS', ''],
  ]),
  ...mutationsOf('store/storing/settle-token.ts', TOKENS, [
    [
      'a token that stays unknown is an event at each try',
      'if (!outcome.isUnresolved || job.isUnresolved) return resolved',
      'if (!outcome.isUnresolved) return resolved',
    ],
    [
      'what the service was asked for becomes an event a second time',
      '      return original === null\n',
      '      return true\n',
    ],
    [
      'a resolved event has no body',
      "insertBody(position, source, source === 'resolved' ? callbackRow.body : null)",
      'insertBody(position, source, null)',
    ],
    [
      'no dispatcher is woken for the events of a token',
      '      destinationIds.push(...deliveries.destinationIds)\n',
      '',
    ],
  ]),
  ...mutationsOf('store/storing/token-jobs.ts', TOKENS, [
    [
      'a callback that came while the service was asked is not asked for',
      'const isOutdated = job.version > outcome.version && error === null',
      'const isOutdated = false',
    ],
    [
      'callbacks of a token without an event fill the database',
      '      if (row.callbackId !== null) rows.removeEmptyCallback(row.callbackId)\n',
      '',
    ],
    ['callbacks of an unknown token lead to a query each', 'hasFailed ? at + LONGER_WAIT_MS : at', 'at'],
    ['entries become events again with each callback', 'if (!hasEntry(job.entries, entry.entryId) && ', 'if ('],
    ['events of a token are in the order of the answer', '.sort((a, b) => a.entryId - b.entryId)', ''],
    ['a job ends while entries are missing', 'outcome.endsWithNewEntry && isAnyNew ? null', 'isAnyNew ? null'],
    [
      'a token that comes again keeps its old waits',
      '    waitingSince: at,\n    attempts: 0,',
      '    waitingSince: at,',
    ],
    [
      'tokens are forgotten while the service still calls with them',
      'const FORGOTTEN_AFTER_MS = 400 * 86_400_000',
      'const FORGOTTEN_AFTER_MS = 4 * 86_400_000',
    ],
  ]),
  ...mutationsOf(
    'store/storing/write-queue.ts',
    ['store/storing/write-queue.test.ts'],
    [
      [
        'one callback too many waits for the disk',
        'waitingEvents >= limits.events ||',
        'waitingEvents > limits.events ||',
      ],
      ['callbacks that wait have no limit of memory', ' || waitingBytes + bytes > limits.bytes', ''],
      [
        'stored callbacks count as waiting, until none is taken',
        '        leave(queued)\n        callbacks',
        '        callbacks',
      ],
      ['an urgent call waits behind all others', "if (place === 'first') queue.unshift(queued)\n        else", ''],
      ['calls of a batch that could not be sent are never answered', '      fail(batch, failure)\n', ''],
      [
        'more batches are in flight than the writer knows',
        'if (inFlight.length >= BATCHES_IN_FLIGHT) return',
        'if (inFlight.length > BATCHES_IN_FLIGHT) return',
      ],
      ['a batch has no limit of bytes', 'length < BATCH_CALLS && bytes < BATCH_BYTES', 'length < BATCH_CALLS'],
      ['a callback gets the result of another one', 'stored[nextStored++]', 'stored[nextStored]'],
      [
        'calls in flight are never answered after the writer has failed',
        '[...inFlight.splice(0).flat(), ...queue.splice(0)]',
        'queue.splice(0)',
      ],
      [
        'every commit has one callback',
        'inFlight.length > 0 && (queue.length < AHEAD_CALLS ||',
        'inFlight.length > 0 && (queue.length < 1 ||',
      ],
    ],
  ),
]
