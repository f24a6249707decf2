import type { Response } from 'express'
import { createPartWriter } from '../../api/answers/part-writer.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { AnswerAccount } from '../../platform/answer-budget.ts'
import type { PageRequest } from './page.ts'
import { SessionEnded } from './refusals.ts'
import type { Session } from './sessions.ts'

/** A file below /ui. Its parts are made while it is sent. */
export interface Download {
  /** As that of a page. */
  readonly path: string
  /** Any of these scopes opens it. */
  readonly scopes: readonly Scope[]
  /** A text: the path of a page, with /ui, that says why there is no file. */
  open(request: PageRequest): Promise<DownloadFile | string>
}

export interface DownloadFile {
  readonly name: string
  readonly type: string
  readonly parts: AsyncIterable<string>
}

export interface Sending {
  readonly session: Session
  /** Of the connection. */
  readonly account: AnswerAccount
  /** Makes one part, when it is this person's turn; undefined: the browser has gone. */
  readonly inTurn: <T>(make: () => Promise<T>) => Promise<T | undefined>
}

/** Sends a file as fast as the browser takes it. It ends with the session, and where the browser goes away. */
export async function sendFile(
  response: Response,
  file: DownloadFile,
  { session, account, inTurn }: Sending,
): Promise<void> {
  response.status(200).type(file.type)
  response.setHeader('content-disposition', `attachment; filename="${file.name}"`)
  if (response.req.method === 'HEAD') {
    response.end()
    return
  }
  const cut = () => {
    response.destroy()
  }
  session.ended.addEventListener('abort', cut, { once: true })
  // It may have ended while the first part was made.
  if (session.ended.aborted) cut()
  const parts = file.parts[Symbol.asyncIterator]()
  const writer = createPartWriter(response, account)
  try {
    while (!response.destroyed) {
      const part = await inTurn(() => parts.next())
      if (part === undefined || response.destroyed) return
      if (session.person.principal() === null) throw new SessionEnded('the rights ended while the part was made')
      if (part.done) {
        response.end()
        return
      }
      writer.write(part.value)
      await writer.room()
    }
  } finally {
    session.ended.removeEventListener('abort', cut)
    await parts.return?.()
  }
}
