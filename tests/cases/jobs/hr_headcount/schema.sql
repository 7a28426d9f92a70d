CREATE TABLE employees (
  employee_id INT NOT NULL,
  department_id INT,
  manager_id INT,
  grade STRING,
  hired_on DATE,
  left_on DATE,
  salary DECIMAL(10,2),
  PRIMARY KEY (employee_id)
);
CREATE TABLE departments (
  department_id INT NOT NULL,
  department_name STRING,
  site STRING,
  PRIMARY KEY (department_id)
);
