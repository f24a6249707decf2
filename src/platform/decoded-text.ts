/**
 * The text of a file that a person or an editor wrote, without its byte order mark: UTF-8, or UTF-16 as Windows programs save it (PowerShell: `>`).
 */
export function decodedText(bytes: Buffer): string {
  const [first, second] = bytes
  const isLittleEndian = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0)
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second !== undefined)
  const whole = bytes.subarray(0, bytes.length & ~1)
  // A copy, because swap16 changes its buffer.
  const text = isLittleEndian
    ? whole.toString('utf16le')
    : isBigEndian
      ? Buffer.from(whole).swap16().toString('utf16le')
      : bytes.toString('utf8')
  return text.replace(/^\uFEFF/, '')
}
