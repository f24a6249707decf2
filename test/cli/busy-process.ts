/** Says that it is busy, and then hears nothing any more, like SQLite in a long step. */
process.send?.({ step: 'busy' }, () => {
  for (;;);
})
