import { once } from 'node:events'
import type { Request, Response } from 'express'
import type { Scope } from '../../domain/scopes.ts'
import type { PageRequest } from './page.ts'
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

/** Sends a file as fast as the browser takes it. It ends with the session, and where the browser goes away. */
export async function sendFile(
  request: Request,
  response: Response,
  session: Session,
  file: DownloadFile,
): Promise<void> {
  response.status(200).type(file.type)
  response.setHeader('content-disposition', `attachment; filename="${file.name}"`)
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const cut = () => {
    response.destroy()
  }
  session.ended.addEventListener('abort', cut, { once: true })
  try {
    for await (const part of file.parts) {
      if (response.destroyed) return
      if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    response.end()
  } catch (error) {
    // The browser must see that the file is not whole.
    response.destroy()
    throw error
  } finally {
    session.ended.removeEventListener('abort', cut)
  }
}
