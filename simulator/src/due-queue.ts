/** Something that is due at a time. */
export interface Due {
  readonly id: string
  /** In ms. */
  readonly dueAt: number
}

/** What is due, earliest first; of equal times in the order in which they were added. Each step takes logarithmic time. */
export interface DueQueue<T extends Due> {
  add(item: T): void
  first(): T | undefined
  /** False: none has this id. */
  delete(id: string): boolean
  list(): T[]
}

interface Place<T> {
  readonly item: T
  readonly number: number
}

/** A binary heap, in which deleted items stay until they come up. */
export function createDueQueue<T extends Due>(): DueQueue<T> {
  const places = new Map<string, Place<T>>()
  const heap: Place<T>[] = []
  let added = 0

  const at = (index: number) => heap[index] as Place<T>
  const isBefore = (one: Place<T>, other: Place<T>) =>
    one.item.dueAt === other.item.dueAt ? one.number < other.number : one.item.dueAt < other.item.dueAt

  function swap(one: number, other: number): void {
    const kept = at(one)
    heap[one] = at(other)
    heap[other] = kept
  }

  function rise(index: number): void {
    const parent = (index - 1) >> 1
    if (index === 0 || !isBefore(at(index), at(parent))) return
    swap(index, parent)
    rise(parent)
  }

  function sink(index: number): void {
    const children = [2 * index + 1, 2 * index + 2].filter((child) => child < heap.length)
    const least = children.reduce((best, child) => (isBefore(at(child), at(best)) ? child : best), index)
    if (least === index) return
    swap(index, least)
    sink(least)
  }

  function removeFirst(): void {
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    heap[0] = last
    sink(0)
  }

  return {
    add(item) {
      const place = { item, number: ++added }
      places.set(item.id, place)
      heap.push(place)
      rise(heap.length - 1)
    },
    first() {
      for (let [top] = heap; top !== undefined; [top] = heap) {
        if (places.get(top.item.id) === top) return top.item
        removeFirst()
      }
      return undefined
    },
    delete: (id) => places.delete(id),
    list: () => [...places.values()].map(({ item }) => item),
  }
}
