/**
 * A 53-bit hash (cyrb53) of a subject: a small integer key for its index. The caller confirms matches by the subject itself. Text that is not valid
 * Unicode is hashed as it is stored, with U+FFFD.
 */
export function subjectHash(given: string): number {
  const subject = given.toWellFormed()
  let h1 = 0xdeadbeef
  let h2 = 0x41c6ce57
  for (let i = 0; i < subject.length; i++) {
    const code = subject.charCodeAt(i)
    h1 = Math.imul(h1 ^ code, 2654435761)
    h2 = Math.imul(h2 ^ code, 1597334677)
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909)
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909)
  return 4294967296 * (2097151 & h2) + (h1 >>> 0)
}
