/** A message of an event stream (WHATWG HTML, section 9.2.6). */
export interface StreamMessage {
  /** The caller sends it as Last-Event-ID when it comes back. Without line breaks and U+0000. */
  readonly id?: string
  readonly event?: string
  /** Line breaks of any form reach the caller as U+000A. A message without data only sets the id. */
  readonly data?: string
  /** After how many ms the caller comes back when the stream ends. */
  readonly retryMs?: number
}

export function messageText({ id, event, data, retryMs }: StreamMessage): string {
  const lines = [
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : data.split(LINE_BREAK).map((line) => `data: ${line}`)),
  ]
  return `${lines.join('\n')}\n\n`
}

const LINE_BREAK = /\r\n|\n|\r/

/** Callers ignore it. */
export function commentText(words: string): string {
  return `: ${words.replaceAll(/[\r\n]+/g, ' ')}\n\n`
}
