// The files that the kind `drop` of `pointer` drops.

import { getter, method } from '../dom/unbound';

const itemsOf = getter(DataTransfer.prototype, 'items');
const addItem = method(DataTransferItemList.prototype, 'add') as (list: DataTransferItemList, file: File) => void;
const countOf = getter(FileList.prototype, 'length');

let files: FileList | null = null;

/** For backends: the files to drop next. */
export function takeFiles(list: FileList): void {
  files = list;
}

/** What is dragged to drop them. */
export function draggedFiles(): DataTransfer {
  const data = new DataTransfer();
  for (let index = 0; files && index < countOf(files); index++) addItem(itemsOf(data), files[index] as File);
  files = null;
  return data;
}
