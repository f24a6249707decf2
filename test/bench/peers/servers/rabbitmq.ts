import { connect } from 'amqplib'
import { serve } from './express-app.ts'

/** One confirmed message a request; RabbitMQ does not recognize a message that comes twice: node rabbitmq.ts URL CERTS */
const [url, certs] = process.argv.slice(2) as [string, string]
const QUEUE = 'callbacks'
const LAST = 'last'
const connection = await connect(url)
const channel = await connection.createConfirmChannel()
await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum' } })

serve(certs, {
  keep: (messageId, body) =>
    new Promise<void>((done, fail) => {
      channel.sendToQueue(QUEUE, body, { persistent: true, messageId }, (error) => (error ? fail(error) : done()))
    }),
  // A queue keeps the order: what came before the last message has come when that one comes. Its count may lag behind after a start.
  async keys() {
    const keys: string[] = []
    const isComplete = new Promise<void>((done) => {
      void channel.consume(QUEUE, (message) => {
        if (message === null) return
        channel.ack(message)
        const key: string = message.properties.messageId
        if (key === LAST) done()
        else keys.push(key)
      })
    })
    channel.sendToQueue(QUEUE, Buffer.alloc(0), { messageId: LAST })
    await isComplete
    return keys
  },
})
