/** How texts name the commands. The gateway's command line sets its own names before it builds this one. */
export const commandNames = { simulator: 'portaria-simulator', gateway: 'portaria' }
