// Receives forwarded events with Nest: verifies signatures with @portaria/receiver, and stores each event once. Node 22.13 or newer.
//   npm install ./portaria-receiver-VERSION.tgz; in a project of Nest: WEBHOOK_SECRET=whsec_… PORT=9000 npm start
// WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
import 'reflect-metadata'
import type { IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Controller, HttpCode, HttpException, Injectable, Module, Post, Req } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { createReceiver, type Delivery, ReceiverError } from '@portaria/receiver'

@Injectable()
class EventStore {
  private readonly db = new DatabaseSync(process.env.STORE ?? 'events.db')

  constructor() {
    this.db.exec('CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, kind TEXT, body BLOB)')
  }

  /** Stores the event once, on disk when it returns. False: it was stored before. */
  store({ id, kind, body }: Delivery): boolean {
    return this.db.prepare('INSERT OR IGNORE INTO events VALUES (?, ?, ?)').run(id, kind, body).changes === 1
  }
}

@Controller()
class HookController {
  private readonly receiver = createReceiver({ secrets: process.env.WEBHOOK_SECRET ?? '' })

  constructor(private readonly events: EventStore) {}

  @Post('hook')
  @HttpCode(200)
  hook(@Req() request: IncomingMessage & { body?: Buffer }): string {
    const delivery = this.verified(request)
    // Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
    return this.events.store(delivery) ? 'stored' : 'repeated'
  }

  private verified({ headers, body = Buffer.alloc(0) }: IncomingMessage & { body?: Buffer }): Delivery {
    try {
      return this.receiver.verify(headers, body)
    } catch (error) {
      throw error instanceof ReceiverError ? new HttpException(error.message, error.status) : error
    }
  }
}

@Module({ controllers: [HookController], providers: [EventStore] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { bodyParser: false, logger: ['error'] })
// The raw bytes of this route, of every content type and without one: the option rawBody of Nest keeps only JSON and forms, up to 100 kB.
app.useBodyParser('raw', { type: ({ url }) => /^\/hook(\?|$)/.test(url ?? ''), limit: '16mb' })
app.useBodyParser('json')
await app.listen(Number(process.env.PORT ?? 9000), '127.0.0.1')
