/*
 * The bodies that chat services take at an address of theirs. The text is plain: in none of them it can mention a person or format anything.
 */

import { iso } from '../../platform/time.ts'
import type { AlarmLine, AlarmMessage } from '../message.ts'
import { cutText } from './channel.ts'

export interface WebhookRequest {
  readonly url: string
  readonly body: object
}

export type WebhookFormat = 'slack' | 'teams' | 'telegram' | 'discord' | 'json'

export const WEBHOOK_FORMATS: Readonly<Record<WebhookFormat, (url: string, message: AlarmMessage) => WebhookRequest>> =
  {
    /** Incoming webhooks; https://docs.slack.dev/messaging/formatting-message-text: three characters are escaped. */
    slack: (url, { text }) => ({
      url,
      body: { text: escapedForSlack(cutText(text, SLACK_LIMIT)), mrkdwn: false, unfurl_links: false },
    }),
    /** An Adaptive Card for the trigger "When a Teams webhook request is received" of Workflows. */
    teams: (url, { title, text }) => ({
      url,
      body: {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                textBlock(title, 'Bolder'),
                ...belowTitle(cutText(text, TEAMS_LIMIT)).map((one) => textBlock(one)),
              ],
            },
          },
        ],
      },
    }),
    /** The method sendMessage of the Bot API. Everything in the query of the address is a member of the body. */
    telegram(url, { text }) {
      const address = new URL(url)
      const members = Object.fromEntries(address.searchParams)
      address.search = ''
      return {
        url: address.href,
        body: { ...members, text: cutText(text, TELEGRAM_LIMIT), link_preview_options: { is_disabled: true } },
      }
    },
    discord: (url, { text }) => ({
      url,
      body: { content: cutText(text, DISCORD_LIMIT), allowed_mentions: { parse: [] } },
    }),
    json: (url, message) => ({ url, body: jsonOf(message) }),
  }

/**
 * The wait that a chat service asks for in its answer, as the header `Retry-After` has it: `parameters.retry_after` of Telegram
 * (ResponseParameters of the Bot API), `retry_after` of Discord, with fractions of a second.
 */
export function waitInAnswer(body: string): string | undefined {
  try {
    const answer = Object(JSON.parse(body))
    const seconds = Object(answer.parameters).retry_after ?? answer.retry_after
    return typeof seconds === 'number' && seconds >= 0 ? String(Math.ceil(seconds)) : undefined
  } catch {
    return undefined
  }
}

/** A message is longer than the text in it, and must stay below 28 KB. */
const TEAMS_LIMIT = 8000
const SLACK_LIMIT = 12_000
const TELEGRAM_LIMIT = 4096
const DISCORD_LIMIT = 2000

function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Text blocks know some Markdown, in which a backslash takes its meaning from a character. */
function textBlock(text: string, weight: 'Default' | 'Bolder' = 'Default') {
  const plain = text.replaceAll(/[\\`*_[\]()#~]/g, '\\$&').replaceAll('\n', '\n\n')
  return { type: 'TextBlock', text: plain, weight, wrap: true }
}

function belowTitle(text: string): string[] {
  return text.split('\n\n').slice(1)
}

function jsonOf({ gateway, at, isTest, title, text, began, ended, goingOn }: AlarmMessage) {
  const viewOf = ({ beganAt, endedAt, waiting, lastAnswer, ...line }: AlarmLine) => ({
    ...line,
    beganAt: iso(beganAt),
    endedAt: endedAt === null ? null : iso(endedAt),
    waiting,
    lastAnswer: lastAnswer && { text: lastAnswer.text, at: iso(lastAnswer.at) },
  })
  return {
    gateway,
    at: iso(at),
    isTest,
    title,
    text,
    began: began.map(viewOf),
    ended: ended.map(viewOf),
    goingOn: goingOn.map(viewOf),
  }
}
