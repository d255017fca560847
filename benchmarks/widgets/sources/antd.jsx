import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Button, Cascader, Checkbox, DatePicker, Form, Input, InputNumber, Modal, Select, Switch, Table } from 'antd';
import { CITIES, held, PLANS, ROWS, TAGS } from './record.js';

const options = (texts) => texts.map((text) => ({ value: text.toLowerCase(), label: text }));
const textOf = (texts, value) => texts.find((text) => text.toLowerCase() === value) ?? null;

function Page() {
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState('');
  const [rows, setRows] = useState(ROWS);
  return (
    <Form layout="vertical" initialValues={{ plan: 'basic' }}>
      <Form.Item label="Plan" name="plan">
        <Select options={options(PLANS)} onChange={(value) => (held.plan = textOf(PLANS, value))} />
      </Form.Item>
      <Form.Item label="City" name="city">
        <Select
          showSearch
          optionFilterProp="label"
          options={options(CITIES)}
          onChange={(value) => (held.city = textOf(CITIES, value))}
        />
      </Form.Item>
      <Form.Item label="Tags" name="tags">
        <Select
          mode="multiple"
          options={options(TAGS)}
          onChange={(values) => (held.tags = values.map((value) => textOf(TAGS, value)))}
        />
      </Form.Item>
      <Form.Item label="Region" name="region">
        <Cascader
          options={[{ value: 'n', label: 'Norway', children: [{ value: 'v', label: 'Vestland' }] }]}
          onChange={(values) => (held.region = values?.join('/') ?? null)}
        />
      </Form.Item>
      <Form.Item label="Start" name="start">
        <DatePicker onChange={(date) => (held.start = date?.format('YYYY-MM-DD') ?? null)} />
      </Form.Item>
      <Form.Item name="news" valuePropName="checked">
        <Checkbox onChange={(event) => (held.news = event.target.checked)}>News</Checkbox>
      </Form.Item>
      <Form.Item label="Seats" name="seats">
        <InputNumber onChange={(value) => (held.seats = value)} />
      </Form.Item>
      <Form.Item label="Alerts" name="alerts" valuePropName="checked">
        <Switch onChange={(value) => (held.alerts = value)} />
      </Form.Item>
      <Button onClick={() => setOpen(true)}>Add a note</Button>
      <Modal title="New note" open={isOpen} onCancel={() => setOpen(false)} onOk={() => { held.note = note; setOpen(false); }}>
        <Input aria-label="Note" value={note} onChange={(event) => setNote(event.target.value)} />
      </Modal>
      <Table
        pagination={false}
        rowKey="id"
        dataSource={rows.map((id) => ({ id }))}
        columns={[
          { title: 'Order', dataIndex: 'id' },
          {
            title: 'Action',
            render: (_, { id }) => (
              <a onClick={() => { held.deleted = id; setRows(rows.filter((row) => row !== id)); }}>Delete</a>
            ),
          },
        ]}
      />
    </Form>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
