/**
 * Which deliveries were handled. A store of several processes is a table of your database with the id as its primary key.
 * Rejections refuse the delivery: it comes again.
 */
export interface DeliveryStore {
  has(id: string): boolean | Promise<boolean>
  /** After the handler has finished. Adding the same id again changes nothing. */
  add(id: string): void | Promise<void>
}

/**
 * Remembers the last ids in the memory of this process. After a restart, and for ids that newer ones displaced, a repeated delivery is handled again.
 * @param limit of ids, some 100 bytes each
 */
export function memoryStore(limit = 10_000): DeliveryStore {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id)
      // A Set keeps the order of insertion.
      const [oldest] = ids
      if (ids.size > limit && oldest !== undefined) ids.delete(oldest)
    },
  }
}
