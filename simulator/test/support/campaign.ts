/**
 * PORTARIA_CAMPAIGN=full: as the nightly runs the files that ask for it. In the gate campaigns have a few rounds, and long tables a row of each kind.
 * `.ci/nightly` finds these files by these names.
 */
export const IS_FULL = process.env.PORTARIA_CAMPAIGN === 'full'

/** Tests, or rows of a table, that the gate leaves to the night. There they are not even skipped, because a skipped test fails the gate. */
export const atNight = <Row>(rows: readonly Row[]): readonly Row[] => (IS_FULL ? rows : [])
