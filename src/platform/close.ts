/** What opened in order closes in reverse. */
export function closeInReverse() {
  const closing: (() => Promise<unknown>)[] = []
  async function stop(): Promise<void> {
    for (const close of closing.splice(0).reverse()) await close()
  }
  return { closing, stop }
}
