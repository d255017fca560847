// storage (docs/spec/scanner-protocol.md#storage): the page's local and session storage.

function storage(request) {
  const area = storageArea(request.area || 'local');
  const { action, key } = request;
  switch (action) {
    case 'list': {
      const entries = {};
      for (let index = 0; index < area.length; index++) {
        const name = area.key(index);
        entries[name] = area.getItem(name);
      }
      return { entries };
    }
    case 'get':
      return { value: area.getItem(requireText(key, 'key')) };
    case 'set':
      return store(area, requireText(key, 'key'), String(request.value === undefined ? '' : request.value));
    case 'delete': {
      const value = area.getItem(requireText(key, 'key'));
      area.removeItem(key);
      return { value };
    }
    case 'clear':
      area.clear();
      return { entries: {} };
    default:
      throw new Refusal('INVALID_REQUEST', `no such storage action: ${action}`);
  }
}

function store(area, key, value) {
  try {
    area.setItem(key, value);
  } catch (error) {
    throw new Refusal('SCRIPT_ERROR', 'the storage is full');
  }
  return { value };
}

/** Opaque origins (`data:`, sandboxed frames) have no storage. */
function storageArea(name) {
  if (name !== 'local' && name !== 'session') throw new Refusal('INVALID_REQUEST', `no such storage area: ${name}`);
  const view = windowOf(scope) || window;
  try {
    return name === 'local' ? view.localStorage : view.sessionStorage;
  } catch (error) {
    throw new Refusal('SCRIPT_ERROR', 'this page has no storage');
  }
}
