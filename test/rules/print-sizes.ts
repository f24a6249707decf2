import { mutualPairs, sizeOf } from './size.ts'

/** After the rules: how large the house is. */
export function teardown(): void {
  const sizes = ['src', 'simulator/src', 'test', 'simulator/test'].map((folder) => {
    const { lines, files } = sizeOf(folder)
    return `${folder} ${lines} lines in ${files} files`
  })
  const pairs = mutualPairs(['src']).length + mutualPairs(['simulator/src']).length
  console.log(`${sizes.join('; ')}; folders that import each other: ${pairs} pairs`)
}
