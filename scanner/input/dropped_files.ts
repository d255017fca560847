// The files that the kind `drop` of `pointer` drops, which the backend has chosen before.

import { getter, method } from '../dom/unbound';

const itemsOf = getter(DataTransfer.prototype, 'items');
const addItem = method(DataTransferItemList.prototype, 'add') as (list: DataTransferItemList, file: File) => void;
const typesOf = getter(DataTransfer.prototype, 'types');
const countOf = getter(FileList.prototype, 'length');

/** What WebKit's scanner gets with its realm (webkit/input_reports.ts). */
interface WithChosenFiles {
  oryn_input?: { takeChosenFiles(): FileList | null };
}

/** What is dragged to drop them. */
export function draggedFiles(): DataTransfer {
  const data = new DataTransfer();
  const files = (globalThis as WithChosenFiles).oryn_input?.takeChosenFiles();
  for (let index = 0; files && index < countOf(files); index++) addItem(itemsOf(data), files[index] as File);
  // Until WebKit 2.48, what scripts make has no types, for which pages look before they take anything.
  if (!typesOf(data).length) Object.defineProperty(data, 'types', { value: Object.freeze(['Files']) });
  return data;
}
