/** Two thirds of all modules, for which the threads of the store need not wait: they load their own meanwhile. */
export function loadParts() {
  const loading = loadAll()
  // If the store cannot be opened, nothing awaits them.
  loading.catch(() => undefined)
  return loading
}

async function loadAll() {
  const [
    alarms,
    api,
    apiListener,
    charges,
    clients,
    destinations,
    forwarding,
    notifications,
    receiving,
    reconciliation,
    service,
  ] = await Promise.all([
    import('./alarms/alarms.ts'),
    import('./api.ts'),
    import('./api-listener.ts'),
    import('./charges-service.ts'),
    import('./clients.ts'),
    import('./destinations.ts'),
    import('./forwarding.ts'),
    import('./notifications.ts'),
    import('./receiving.ts'),
    import('./reconcile/reconciliation.ts'),
    import('./service-clients.ts'),
  ])
  return {
    alarms,
    api,
    apiListener,
    charges,
    clients,
    destinations,
    forwarding,
    notifications,
    receiving,
    reconciliation,
    service,
  }
}
