import type { AuditEntry, AuditPart } from '../../verification/audit-verification.ts'

/** Entries in few buffers, which pass between threads without a copy. */
export interface PackedPart {
  readonly anchor: AuditPart['anchor']
  readonly positions: Float64Array
  /** Indexes of PAYLOADS. */
  readonly payloads: Uint8Array
  /** Of the digest and the hash of each entry; NONE: null. A value written by hand may have any length. */
  readonly lengths: Uint32Array
  /** Digests and hashes, one behind the other. */
  readonly bytes: Uint8Array
}

const PAYLOADS = ['sound', 'altered', 'removed'] as const
const NONE = 0xff_ff_ff_ff

export function packPart({ anchor, entries }: AuditPart): PackedPart {
  const values = entries.flatMap(({ digest, hash }) => [digest, hash])
  const bytes = new Uint8Array(values.reduce((sum, value) => sum + (value?.length ?? 0), 0))
  let end = 0
  for (const value of values) {
    if (value === null) continue
    bytes.set(value, end)
    end += value.length
  }
  return {
    // A copy: a small buffer is part of a large one, which would be sent, too.
    anchor: { ...anchor, hash: new Uint8Array(anchor.hash) },
    positions: Float64Array.from(entries, ({ position }) => position),
    payloads: Uint8Array.from(entries, ({ payload }) => PAYLOADS.indexOf(payload)),
    lengths: Uint32Array.from(values, (value) => value?.length ?? NONE),
    bytes,
  }
}

export function transfersOf({ positions, payloads, lengths, bytes }: PackedPart): ArrayBuffer[] {
  return [positions, payloads, lengths, bytes].map(({ buffer }) => buffer as ArrayBuffer)
}

export function unpackPart({ anchor, positions, payloads, lengths, bytes }: PackedPart): AuditPart {
  const entries: AuditEntry[] = []
  let end = 0
  function next(length: number | undefined): Uint8Array | null {
    if (length === undefined || length === NONE) return null
    end += length
    return bytes.subarray(end - length, end)
  }
  positions.forEach((position, at) => {
    const digest = next(lengths[2 * at])
    const hash = next(lengths[2 * at + 1])
    entries.push({ position, digest, hash, payload: PAYLOADS[payloads[at] as number] as AuditEntry['payload'] })
  })
  return { anchor, entries }
}
